import { ownSentence } from '../../../../src/bot/conversation/own-sentences.js';
import { defineTool, type Tool } from '../../../../src/bot/conversation/tool.js';
import {
  LLMResponseStartFrame,
  LLMTextFrame,
  StartFrame,
  TTSSpeakFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FakeLanguageModel, type FakeModelReply } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { LLMRig } from './llm-rig.js';

const SORRY = ownSentence('not_understood', 'en');

/** One turn against these replies, the last of which repeats. */
async function turn(replies: FakeModelReply[], options: ConstructorParameters<typeof LLMRig>[1] = {}) {
  await using fake = await FakeLanguageModel.start({ replies });
  const rig = new LLMRig(fake, options);
  await rig.ask();
  const said = rig.after.of(TTSSpeakFrame).filter(({ text }) => text !== '');
  return { rig, requests: fake.requests, text: rig.text, said: said.map(({ text }) => text) };
}

const SILENT: ReadonlyArray<[name: string, reply: FakeModelReply]> = [
  ['no text', {}],
  ['only dots', { text: ['.', '.', '.'] }],
  ['only an ellipsis', { text: '…' }],
  ['only an emoji', { text: '👍🏽' }],
  ['only marks of formatting', { text: ['**', ' --- ', '**'] }],
  ['only spaces', { text: [' ', '\n'] }],
  ['only a thought', { text: '<think>What does the caller want?</think>' }],
  ['a thought without an end', { text: '<think>What does the caller want?' }],
];

describe.each(SILENT)('a model that answers with %s', (_, reply) => {
  test('is asked again once, and its words are the answer', async () => {
    const { rig, requests, text, said } = await turn([reply, { text: 'At nine.' }]);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.at(-1)?.text).toMatch(/^Hello\?\n<system>.*Answer in words\.<\/system>$/);
    expect([text, said]).toEqual(['At nine.', []]);
    expect(rig.context.messages.slice(1)).toEqual([{ role: 'assistant', content: 'At nine.' }]);
    expect(rig.errors).toEqual([]);
  });

  test('and does so again, has the bot say that it has not understood, once', async () => {
    const { rig, requests, said } = await turn([reply]);
    expect(requests).toHaveLength(2);
    expect(said).toEqual([SORRY]);
    expect(rig.after.of(TTSSpeakFrame)[0]?.appendToContext).toBe(true);
    expect(rig.after.of(LLMTextFrame)).toEqual([]);
    expect(rig.context.messages).toEqual([{ role: 'user', content: 'Hello?' }]);
    expect(rig.errors).toEqual([]);
  });
});

test('the next turn is asked as if nothing had been', async () => {
  await using fake = await FakeLanguageModel.start({ replies: [{}, {}, { text: 'At nine.' }] });
  const rig = new LLMRig(fake);
  await rig.ask();
  rig.context.addCallerWords('When?');
  await rig.ask();
  expect(fake.requests).toHaveLength(3);
  expect(fake.requests[2]?.messages.at(-1)?.text).toBe('Hello? When?');
  expect(rig.text).toBe('At nine.');
});

test.each(['de', 'es', 'fr', 'it'] as const)(
  'the sentence of the bot is in the language of the conversation: %s',
  async (language) => {
    const { said } = await turn([{}], { language });
    expect(said).toEqual([ownSentence('not_understood', language)]);
    expect(said).not.toEqual([SORRY]);
  },
);

test('an answer that begins with what cannot be spoken is given from its first word on, and whole', async () => {
  const { rig, said, requests } = await turn([{ text: ['…', ' ', 'Well', ', at nine.', ' 🙂'] }]);
  expect(rig.after.of(LLMTextFrame).map(({ text }) => text)).toEqual(['… Well', ', at nine.', ' 🙂']);
  expect([said, requests.length]).toEqual([[], 1]);
});

test('a thought is neither said nor kept, and not shown to the model again', async () => {
  await using fake = await FakeLanguageModel.start({
    replies: [{ text: ['<th', 'ink>', 'A secret', ' of mine.</thi', 'nk>', 'At', ' nine.'] }, { text: 'Bye.' }],
  });
  const rig = new LLMRig(fake);
  await rig.ask();
  rig.context.addCallerWords('Thanks.');
  await rig.ask();
  expect(rig.text).toBe('At nine.Bye.');
  expect(JSON.stringify([rig.context.messages, fake.requests.map(({ messages }) => messages)])).not.toMatch(/secret/);
});

test('a model that ends thoughts which its server has begun is heard from the next answer on without them', async () => {
  await using fake = await FakeLanguageModel.start({
    replies: [{ text: '</think>At nine.' }, { text: 'They want to leave. </think>Goodbye.' }],
  });
  const rig = new LLMRig(fake);
  await rig.ask();
  rig.context.addCallerWords('Thanks.');
  await rig.ask();
  expect(rig.text).toBe('At nine.Goodbye.');
});

describe('with functions', () => {
  const tool = (more: Partial<Tool>): Tool =>
    defineTool({
      name: 'note',
      description: 'Writes down an order',
      parameters: { type: 'object' },
      execute: () => 'noted',
      ...more,
    });
  const call = { toolCalls: [{ name: 'note', input: {} }] };

  test('a model that says nothing about a result is asked again, and then the bot speaks', async () => {
    const { requests, said } = await turn([call, {}], { tools: [tool({})] });
    expect([requests.length, said]).toEqual([3, [SORRY]]);
  });

  test('an answer of nothing but functions is not asked for again', async () => {
    const { requests, said, text } = await turn([call, { text: 'Done.' }], { tools: [tool({})] });
    expect([requests.length, said, text]).toEqual([2, [], 'Done.']);
  });

  test.each<[string, FakeModelReply, Partial<Tool>, string[]]>([
    ['the model', { ...call, text: 'I write that down.' }, {}, []],
    ['the words of the function', call, { sayWhileRunning: 'I write that down.' }, ['I write that down.']],
  ])('what %s said before counts as heard when the model stays silent', async (_, reply, more, words) => {
    const { requests, said } = await turn([reply, {}], { tools: [tool(more)] });
    expect([requests.length, said]).toEqual([3, words]);
  });

  test('what a function says of its own accord is answer enough', async () => {
    const execute: Tool['execute'] = (_, { say }) => void say('I have written that down.');
    const { requests, said } = await turn([call, {}], { tools: [tool({ execute })] });
    expect([requests.length, said]).toEqual([2, ['I have written that down.']]);
  });

  test.each<[string, Tool['execute']]>([
    ['the turn', (_, { endTurn }) => endTurn()],
    ['the call', (_, { endCall }) => endCall()],
  ])('a function that ends %s leaves nothing to say', async (_, execute) => {
    const { requests, said } = await turn([call, {}], { tools: [tool({ execute })] });
    expect([requests.length, said]).toEqual([1, []]);
  });
});

test('a model that was told something, and not by the caller, may have nothing to say', async () => {
  await using fake = await FakeLanguageModel.start({ replies: {} });
  const rig = new LLMRig(fake);
  rig.context.append({ role: 'assistant', content: 'Yes?' }, { role: 'system', content: 'It rains.' });
  await rig.ask();
  expect(rig.after.of(TTSSpeakFrame)).toEqual([]);
  expect(fake.requests).toHaveLength(2);
});

test('an interruption while it is asked again ends the matter', async () => {
  await using fake = await FakeLanguageModel.start({ replies: [{}, { hang: true }] });
  const rig = new LLMRig(fake);
  const done = rig.ask();
  await fake.request(1);
  rig.interrupt();
  await done;
  expect(rig.after.of(TTSSpeakFrame)).toEqual([]);
});

test('a model that thinks until no token is left is asked again, and the call goes on', async () => {
  const ends = (finishReason: string) => ({
    specificationVersion: 'v3',
    provider: 'some.chat',
    modelId: 'thinker',
    supportedUrls: {},
    doStream: jest.fn(async () => ({
      stream: ReadableStream.from([
        { type: 'stream-start', warnings: [] },
        {
          type: 'finish',
          finishReason: { unified: finishReason, raw: finishReason },
          usage: { inputTokens: {}, outputTokens: {} },
        },
      ]),
    })),
  });
  const model = ends('length');
  const rig = new LLMRig({ url: 'http://127.0.0.1:9/v1' }, { options: { model: model as never } });
  await rig.ask();
  expect(model.doStream).toHaveBeenCalledTimes(2);
  expect(rig.after.of(TTSSpeakFrame).map(({ text }) => text)).toEqual([SORRY]);
  expect(rig.errors).toEqual([]);
});

test('a model whose first words take eight seconds answers, asked once', async () => {
  using _clock = new HastyClock();
  const { requests, text, rig } = await turn([{ delayMs: 8_000, text: 'At nine.' }]);
  expect([requests.length, text, rig.errors]).toEqual([1, 'At nine.', []]);
  expect(rig.after.seen.filter(({ frame }) => frame instanceof StartFrame)).toHaveLength(1);
  expect(rig.after.of(LLMResponseStartFrame)).toHaveLength(1);
});

test('an answer that has broken off, and to which the model has nothing to add, is answer enough', async () => {
  const { requests, text, said } = await turn([{ text: ['We open at nine.', ' So'], breakOffAfter: 1 }, {}]);
  expect([requests.length, text, said]).toEqual([2, 'We open at nine.', []]);
});
