import { createOpenAI } from '@ai-sdk/openai';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import {
  FakeLanguageModel,
  type FakeLiveOptions,
  type FakeModelMessage,
  type FakeModelReply,
} from '../../../../src/lab/kit/index.js';
import { LiveStage } from './live-stage.js';

const wordsOf = (messages: readonly FakeModelMessage[]) =>
  messages.filter(({ role, text }) => role === 'user' && !text.startsWith('<system>')).map(({ text }) => text);

/** A call with a model that hands over everything; the delegate tells which words of the caller's it has seen last. */
async function handingOver(fake: FakeLiveOptions, reply: FakeModelReply = {}) {
  const far = await FakeLanguageModel.start({
    replies: (messages) => ({ ...reply, text: `Answer to: ${wordsOf(messages).at(-1)}` }),
  });
  const llm = new LLMService({ model: createOpenAI({ apiKey: 'k', baseURL: far.url }).chat('gpt-4.1-mini') });
  const stage = await LiveStage.continuous(
    { fake: { characterMs: 30, replies: { text: 'One moment.', delegates: true }, ...fake } },
    llm,
  );
  stage.join();
  /** How often the bot has fallen silent. */
  const silences = () => stage.stopped.length;
  return {
    stage,
    far,
    silences,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await far[Symbol.asyncDispose]();
    },
  };
}

/** Who speaks, one after the other, however often in a row: what the delegate answers may be said in one go with what was said before. */
const alternating = <Name>(names: readonly Name[]) => names.filter((name, index) => name !== names[index - 1]);

const QUESTIONS = ['First question.', 'Second question.', 'Third question.'];

// The calls are made at once.
describe('turns of a live model that takes them itself, and hands work over', () => {
  test.concurrent('a caller who speaks as soon as the bot is silent is answered, and the words stand before their answer', async () => {
    await using call = await handingOver({ texts: QUESTIONS });
    const { stage } = call;
    for (const question of QUESTIONS) {
      const before = call.silences();
      stage.speak(500);
      await stage.says(`Answer to: ${question}`);
      await stage.until(() => call.silences() > before, 'the bot is silent');
    }
    await stage.until(() => stage.reports.length === 3, 'the turns are over');
    expect(stage.told.filter((line) => line.startsWith('caller: '))).toEqual(QUESTIONS.map((one) => `caller: ${one}`));
    const inTurn = ['caller', 'bot', 'caller', 'bot', 'caller', 'bot'];
    expect(alternating(stage.told.map((line) => line.split(':', 1)[0]))).toEqual(inTurn);
    expect(call.far.requests.map(({ messages }) => wordsOf(messages))).toEqual([
      QUESTIONS.slice(0, 1),
      QUESTIONS.slice(0, 2),
      QUESTIONS,
    ]);
    const said = stage.conversation.context.messages.filter(({ role }) => role === 'user' || role === 'assistant');
    expect(alternating(said.map(({ role }) => role))).toEqual(
      inTurn.map((who) => (who === 'caller' ? 'user' : 'assistant')),
    );
  });

  test.concurrent('what the caller says while work is under way is known to the work that follows', async () => {
    await using call = await handingOver({ texts: QUESTIONS }, { delayMs: 4_000 });
    const { stage, far } = call;
    stage.speak(500);
    await stage.until(() => far.requests.length === 1, 'the delegate works');
    await stage.until(() => call.silences() === 1, 'the bot is silent');
    stage.speak(500);
    await stage.says('Answer to: Second question.');
    expect(far.requests.map(({ messages }) => wordsOf(messages))).toEqual([
      QUESTIONS.slice(0, 1),
      QUESTIONS.slice(0, 2),
    ]);
    const told = stage.conversation.context.messages.map((message) => ('content' in message ? message.content : ''));
    const at = (text: string) => told.findIndex((content) => content.includes(text));
    expect(at('Second question.')).toBeLessThan(at('Answer to: Second question.'));
  });
});
