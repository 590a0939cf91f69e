import { createOpenAI } from '@ai-sdk/openai';
import 'ai'; // beforehand: while Node reads files, a hasty clock runs ahead
import { z } from 'zod';
import {
  HoldConversationFrame,
  RestartConversationFrame,
} from '../../../../src/bot/conversation/conversation-frames.js';
import { endCallTool } from '../../../../src/bot/conversation/end-call-tool.js';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import { DtmfFrame, TTSSpeakFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import { FakeLanguageModel, type FakeModelScript } from '../../../../src/lab/kit/index.js';
import { hurried } from '../../../hasty-clock.js';
import { LiveStage } from './live-stage.js';

hurried();

async function delegateOf(replies: FakeModelScript) {
  const fake = await FakeLanguageModel.start({ replies });
  const model = createOpenAI({ apiKey: 'k', baseURL: fake.url }).chat('gpt-4.1-mini');
  return { fake, llm: new LLMService({ model }), [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose]() };
}

describe('a conversation with a live model that takes its turns itself', () => {
  test('the caller is answered when the model does, and their words and the answer stand in the context', async () => {
    await using stage = await LiveStage.continuous({
      fake: { texts: ['Where is my order?'], replies: { text: 'It is on its way.' } },
      conversation: { system: 'You are a bakery.' },
    });
    stage.join();
    stage.speak(800);
    await stage.says('It is on its way.');
    await stage.until(() => stage.reports.length > 0, 'the turn is reported');
    expect(stage.told).toEqual(['caller: Where is my order?', 'bot: It is on its way.']);
    expect(stage.errors).toEqual([]);
    expect(stage.conversation.context.messages.slice(1)).toEqual([
      { role: 'user', content: 'Where is my order?' },
      { role: 'assistant', content: 'It is on its way.' },
    ]);
    expect(stage.reports).toMatchObject([{ since: 'caller_stopped', wasInterrupted: false }]);
    const [session] = stage.fake.sessions;
    expect(session?.settings).toMatchObject({
      instructions: 'You are a bakery.',
      audio: { format: { type: 'audio/pcmu', rate: 8_000 } },
    });
  });

  test('a caller who speaks over the bot makes the model fall silent: what was said of the answer stands in the context', async () => {
    const long = 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.';
    await using stage = await LiveStage.continuous({
      fake: { texts: ['Count.', 'Stop.'], replies: [{ text: long }, { text: 'Fine.' }], characterMs: 60 },
    });
    stage.join();
    stage.speak(600);
    await stage.until(() => stage.sent.length > 50, 'the bot speaks');
    stage.speak(700);
    await stage.says('Fine.');
    const [, said] = stage.conversation.context.messages;
    const { content } = said as { content: string };
    expect(long.startsWith(content)).toBe(true);
    expect(content.length).toBeLessThan(long.length);
    await stage.until(() => stage.told.includes('caller: Stop.'), 'the words of the caller are told');
    expect(stage.clears).toEqual([]);
  });

  test('the greeting is said by the session, and what the model is told to do is an instruction', async () => {
    await using stage = await LiveStage.continuous({ conversation: { greeting: 'Hello, this is the bakery.' } });
    stage.join();
    await stage.says('Hello, this is the bakery.');
    void stage.conversation.instruct('Offer bread.');
    const [session] = stage.fake.sessions;
    await stage.until(() => session?.context.length === 2, 'the session is told');
    expect(session?.context).toEqual([
      { channel: 'commentary', content: 'Hello, this is the bakery.', delegationId: null },
      { channel: 'instructions', content: 'Offer bread.', delegationId: null },
    ]);
  });

  test('while the conversation is held the model is not heard of its own accord and does no work, and what the bot wants said is', async () => {
    await using delegate = await delegateOf([{ text: ['Done.'] }]);
    await using stage = await LiveStage.continuous(
      {
        fake: {
          texts: ['Who is calling?'],
          replies: [{ text: 'I am a machine.', delegates: true }],
          instructed: (told) => (told.endsWith('Hello?') ? { text: 'Hi.' } : undefined),
        },
        conversation: { system: 'You are a bakery.' },
      },
      delegate.llm,
    );
    stage.join();
    const session = () => stage.fake.sessions[0];
    await stage.until(() => session()?.settings, 'the session has begun');
    stage.emit(new HoldConversationFrame());
    stage.speak(800);
    await stage.until(() => session()?.items.some(({ text }) => text === 'I am a machine.'), 'the model has spoken');
    await stage.until(() => session()?.context.length === 1, 'the work is refused');
    expect(session()?.context).toMatchObject([{ content: 'That cannot be done here.' }]);
    expect([stage.sent, delegate.fake.requests]).toEqual([[], []]);
    stage.emit(new TTSSpeakFrame('The bakery.'));
    await stage.says('The bakery.');
    stage.emit(new RestartConversationFrame('Hello?'));
    await stage.says('Hi.');
  });

  test('keys drop what is being said, and the model is told which, and what was heard', async () => {
    const long = 'One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.';
    await using stage = await LiveStage.continuous({ conversation: { greeting: long, keys: { afterMs: 500 } } });
    stage.join();
    await stage.until(() => stage.sent.length > 50, 'the bot speaks');
    stage.emit(new DtmfFrame('4'));
    const [session] = stage.fake.sessions;
    await stage.until(() => session?.context.some(({ content }) => content.includes('pressed 4')), 'the keys are told');
    expect(stage.clears.length).toBeGreaterThan(0);
    expect(session?.context.some(({ content }) => content.startsWith('Stop what you are saying.'))).toBe(true);
  });

  test('hands work over: the delegate calls the functions, and what it answers is said', async () => {
    const days: string[] = [];
    const hours = defineTool({
      name: 'opening_hours',
      description: 'When the shop is open.',
      parameters: z.object({ day: z.string() }),
      execute: ({ day }) => {
        days.push(day);
        return { open: '7-12' };
      },
    });
    await using delegate = await delegateOf([
      { toolCalls: [{ name: 'opening_hours', input: { day: 'Sunday' } }] },
      { text: ['From seven to noon.'] },
    ]);
    await using stage = await LiveStage.continuous(
      {
        fake: { texts: ['When do you open?'], replies: { text: 'One moment.', delegates: true } },
        conversation: { tools: [hours] },
      },
      delegate.llm,
    );
    stage.join();
    stage.speak(600);
    await stage.says('From seven to noon.');
    expect(days).toEqual(['Sunday']);
    const [session] = stage.fake.sessions;
    expect(session?.context).toEqual([
      { channel: 'commentary', content: 'From seven to noon.', delegationId: session?.delegations[0] },
    ]);
    expect(stage.conversation.context.messages.map(({ role }) => role)).toContain('tool');
    expect(stage.errors).toEqual([]);
  });

  test('hands work over: a function of the delegate ends the call', async () => {
    await using delegate = await delegateOf([{ toolCalls: [{ name: 'end_call', input: {} }] }]);
    await using stage = await LiveStage.continuous(
      {
        fake: { texts: ['Bye.'], replies: { text: 'Good bye.', delegates: true } },
        conversation: { tools: [endCallTool({ name: 'end_call' })] },
      },
      delegate.llm,
    );
    stage.join();
    stage.speak(600);
    await stage.until(() => stage.hungUp, 'the call is over');
    expect(stage.told).toContain('bot: Good bye.');
  });

  test('another session knows what was said before the first one broke', async () => {
    await using stage = await LiveStage.continuous({
      fake: {
        texts: (session) => [session === 0 ? 'Hello?' : 'And now?'],
        replies: [{ text: 'Hello.' }, { text: 'Back.' }],
      },
    });
    stage.join();
    stage.speak(600);
    await stage.says('Hello.');
    stage.fake.dropConnections();
    await stage.until(() => stage.fake.sessions.length === 2 && stage.fake.sessions[1]?.settings, 'another session');
    stage.speak(600);
    await stage.says('Back.');
    expect(stage.fake.sessions[1]?.items.slice(0, 2).map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Hello?'],
      ['assistant', 'Hello.'],
    ]);
    expect(stage.errors.every(({ isFinal }) => !isFinal)).toBe(true);
  });
});
