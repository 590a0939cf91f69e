import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { ownSentence } from '../../../../src/bot/conversation/own-sentences.js';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import { TTSSpeakFrame, Turn } from '../../../../src/bot/pipeline/frames/index.js';
import { requestRefusal } from '../../../../src/bot/services/llm/refusals.js';
import { FakeLanguageModel, type FakeModelReply, type FakeModelScript } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { LLMRig } from './llm-rig.js';

const SORRY = ownSentence('cannot_answer', 'en');
const FILTERED: FakeModelReply = {
  status: 400,
  error: "The response was filtered due to the prompt triggering the service's content management policy.",
};

async function starting(replies: FakeModelScript, options?: ConstructorParameters<typeof LLMRig>[1]) {
  const fake = await FakeLanguageModel.start({ replies });
  const rig = new LLMRig(fake, options);
  const said = () => rig.after.of(TTSSpeakFrame).map(({ text }) => text);
  const finals = () => rig.errors.map(({ isFinal }) => isFinal);
  return { fake, rig, said, finals, [Symbol.asyncDispose]: () => fake.close() };
}

test('words that a content filter refuses leave the context, the caller hears so, and the call goes on', async () => {
  await using it = await starting([{ text: 'At nine.' }, FILTERED, { text: 'You are welcome.' }]);
  const { rig, fake, said, finals } = it;
  await rig.ask();
  rig.context.addCallerWords('How do I build a bomb?');
  await rig.ask();
  expect([said(), finals()]).toEqual([[SORRY], [false]]);
  expect(rig.after.of(TTSSpeakFrame)[0]?.appendToContext).toBe(true);
  expect(rig.errors[0]?.message).toContain('content management policy');
  expect(fake.requests).toHaveLength(2);
  rig.context.addCallerWords('Thanks.');
  await rig.ask();
  expect(rig.text).toBe('At nine.You are welcome.');
  expect(fake.requests[2]?.messages.map(({ text }) => text).join()).not.toContain('bomb');
  expect(fake.requests[2]?.messages.at(-1)?.text).toBe('Thanks.');
});

test('what the caller said in several goes leaves the context as a whole; what the bot was told stays', async () => {
  await using it = await starting([FILTERED, { text: 'Yes.' }]);
  const { rig, fake } = it;
  rig.context.addCallerWords('How do I');
  rig.context.append({ role: 'system', content: 'It rains.' });
  rig.context.addCallerWords('build a bomb?');
  await rig.ask();
  rig.context.addCallerWords('Thanks.');
  await rig.ask();
  const shown = fake.requests[1]?.messages.map(({ text }) => text).join('\n');
  expect(shown).toContain('It rains.');
  expect(shown).not.toMatch(/Hello|How do I|bomb/);
});

test('the sentence is in the language of the conversation', async () => {
  await using it = await starting(FILTERED, { language: 'it-CH' });
  await it.rig.ask();
  expect(it.said()).toEqual([ownSentence('cannot_answer', 'it')]);
});

test('a refusal of what a function gave takes the whole exchange out of the context', async () => {
  const tool = defineTool({
    name: 'read',
    description: 'Reads a mail',
    parameters: { type: 'object' },
    execute: () => 'nasty words',
  });
  const replies = [{ text: 'Let me see.', toolCalls: [{ name: 'read', input: {} }] }, FILTERED, { text: 'Yes.' }];
  await using it = await starting(replies, { tools: [tool] });
  const { rig, fake, said } = it;
  await rig.ask();
  expect(said()).toEqual([SORRY]);
  rig.context.addCallerWords('Thanks.');
  await rig.ask();
  expect(JSON.stringify(fake.requests[2]?.messages)).not.toMatch(/nasty|read|Hello/);
});

test('three refused requests in a row are a refusal of all', async () => {
  await using it = await starting(FILTERED);
  const { rig, fake, said, finals } = it;
  for (let turns = 0; turns < 3; turns += 1) {
    rig.context.addCallerWords('Hello?');
    await rig.ask();
  }
  expect([fake.requests.length, said(), finals()]).toEqual([3, [SORRY, SORRY], [false, false, true]]);
});

test('an answer in between begins the count anew', async () => {
  await using it = await starting([FILTERED, FILTERED, { text: 'Yes.' }, FILTERED, FILTERED, { text: 'Yes.' }]);
  const { rig, said, finals } = it;
  for (let turns = 0; turns < 6; turns += 1) {
    rig.context.addCallerWords('Hello?');
    await rig.ask();
  }
  expect([said(), finals()]).toEqual([Array(4).fill(SORRY), Array(4).fill(false)]);
});

test.each<[string, FakeModelReply]>([
  ['the key', { status: 401, error: 'Incorrect API key provided.' }],
  ['the account', { status: 403, error: 'Not allowed.' }],
  ['a model that is not there', { status: 404, error: 'The model gpt-9 does not exist.' }],
  ['a setting', { status: 400, error: "Unsupported parameter: 'max_tokens' is not supported with this model." }],
  ['the key, as a wrong request', { status: 400, error: 'API key not valid. Please pass a valid API key.' }],
])('a refusal of %s is final at once, and no matter of what was said', async (_, reply) => {
  await using it = await starting(reply);
  await it.rig.ask();
  expect([it.fake.requests.length, it.said(), it.finals()]).toEqual([1, [], [true]]);
  expect(it.rig.context.messages).toHaveLength(1);
});

describe('a context that is too long', () => {
  const TOO_LONG: FakeModelReply = {
    status: 400,
    error: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  };
  const messages = Array.from({ length: 10 }, (_, index) => [
    { role: 'user' as const, content: `Question ${index}` },
    { role: 'assistant' as const, content: `Answer ${index}` },
  ]).flat();

  test('loses its older half, and the model is asked again', async () => {
    await using it = await starting([TOO_LONG, { text: 'Yes.' }], { messages, system: 'Be brief.' });
    const { rig, fake, said, finals } = it;
    rig.context.addCallerWords('Hello?');
    await rig.ask();
    expect([rig.text, said(), finals()]).toEqual(['Yes.', [], [false]]);
    const shown = fake.requests[1]?.messages.map(({ text }) => text) ?? [];
    expect(shown[0]).toMatch(/^Be brief\./);
    expect(shown.slice(1)).toEqual([...messages.slice(12).map(({ content }) => content), 'Hello?']);
  });

  test('that is still too long costs the caller their words, once', async () => {
    await using it = await starting([TOO_LONG, { status: 413, error: 'Too large' }, { text: 'Yes.' }], { messages });
    const { rig, fake, said, finals } = it;
    rig.context.addCallerWords('Hello?');
    await rig.ask();
    expect([fake.requests.length, said(), finals()]).toEqual([2, [SORRY], [false, false]]);
    rig.context.addCallerWords('Thanks.');
    await rig.ask();
    expect(rig.text).toBe('Yes.');
  });

  test('that is one exchange has nothing to lose but what was said', async () => {
    await using it = await starting(TOO_LONG);
    await it.rig.ask();
    expect([it.fake.requests.length, it.said(), it.rig.context.messages]).toEqual([1, [SORRY], []]);
  });
});

test('an empty answer of a model that a content filter has stopped is a refusal of what was said', async () => {
  const model = {
    specificationVersion: 'v3',
    provider: 'some.chat',
    modelId: 'careful',
    supportedUrls: {},
    doStream: jest.fn(async () => ({
      stream: ReadableStream.from([
        { type: 'stream-start', warnings: [] },
        {
          type: 'finish',
          finishReason: { unified: 'content-filter', raw: 'SAFETY' },
          usage: { inputTokens: {}, outputTokens: {} },
        },
      ]),
    })),
  };
  const rig = new LLMRig({ url: 'http://127.0.0.1:9/v1' }, { options: { model: model as never } });
  await rig.ask();
  expect(model.doStream).toHaveBeenCalledTimes(1);
  expect(rig.after.of(TTSSpeakFrame).map(({ text }) => text)).toEqual([SORRY]);
  expect(rig.errors.map(({ isFinal, message }) => [isFinal, message])).toEqual([
    [false, expect.stringContaining('SAFETY')],
  ]);
});

test('an error of the stream that speaks of the content is a refusal; another is tried again', async () => {
  using _clock = new HastyClock();
  await using refused = await starting({ error: 'Rejected: content_filter' });
  await refused.rig.ask();
  expect([refused.fake.requests.length, refused.said()]).toEqual([1, [SORRY]]);
  await using tried = await starting([{ error: 'Overloaded' }, { text: 'Yes.' }]);
  await tried.rig.ask();
  expect([tried.fake.requests.length, tried.rig.text]).toEqual([2, 'Yes.']);
});

test.each<[number | undefined, string, ReturnType<typeof requestRefusal>]>([
  [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'too_long'],
  [400, 'the request exceeds the available context size', 'too_long'],
  [400, "Invalid 'messages[3].content': string too long.", 'too_long'],
  [413, '', 'too_long'],
  [422, 'Input should be shorter', 'content'],
  [400, 'Output blocked by content filtering policy', 'content'],
  [400, 'Request contains an invalid argument.', 'content'],
  [400, 'Your credit balance is too low', undefined],
  [400, 'this model does not support tools', undefined],
  [400, "Invalid schema for function 'book'", undefined],
  [422, 'Extra inputs are not permitted', undefined],
  [401, 'content_filter', undefined],
  [404, 'too long', undefined],
  [429, 'You exceeded your current quota', undefined],
  [500, 'maximum context length', 'too_long'],
  [500, 'the request took too long', undefined],
  [503, 'Overloaded', undefined],
  [undefined, 'context_length_exceeded', 'too_long'],
  [undefined, 'the request took too long', undefined],
  [undefined, 'ECONNREFUSED', undefined],
])('status %s with the words "%s" is a refusal of one request: %s', (status, words, refusal) => {
  expect(requestRefusal(status, words)).toBe(refusal);
});

describe('a context', () => {
  test('forgets nothing where nothing was asked', () => {
    const context = new LLMContext({ messages: [{ role: 'assistant', content: 'Hello!' }] });
    context.forgetQuestion();
    expect(context.messages).toHaveLength(1);
    expect(context.forgetOlderHalf(new Turn(1))).toBe(false);
  });

  test('forgets what the model was told to do where that was the last word, and nothing of the caller', () => {
    const context = new LLMContext({ messages: [{ role: 'user', content: 'Hello?' }] });
    context.append({ role: 'assistant', content: 'Yes?' }, { role: 'system', content: 'Say something bad.' });
    context.forgetQuestion();
    expect(context.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});
