import { createOpenAI } from '@ai-sdk/openai';
import { aiPackage } from '../../../../src/bot/services/llm/ai-package.js';
import { FakeLanguageModel } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { callOn, FakeLink, Hum, Line, until } from './line.js';
import { isBack, scene, TO } from './warm-scene.js';

test('the model writes the briefing from the conversation, in at most 60 words, and the conversation does not know of it', async () => {
  const words = Array.from({ length: 80 }, (_, at) => `word${at}`).join(' ');
  await using fake = await FakeLanguageModel.start({ replies: { text: words } });
  await using caller = await Line.open();
  await using line = await Line.open();
  const runner = new FakeLink();
  runner.dial = () => line;
  const llm = createOpenAI({ baseURL: fake.url, apiKey: 'any' }).chat('fake');
  const { call } = await callOn(caller, runner, { tts: () => new Hum(), llm });
  const talk = call.converse({
    system: 'You are a bakery.',
    messages: [{ role: 'user', content: 'I want my money back.' }],
  });
  const before = talk.conversation.context.messages.length;
  const outcome = call.transfer('+12025550177', { warm: { brief: { prompt: 'Say what they want.' } } });
  await until(() => line.heard.length > 5, 'the colleague is briefed');
  const brief = runner.told[0]?.warm?.brief ?? '';
  expect(brief.split(' ')).toHaveLength(60);
  expect(JSON.stringify(fake.requests.at(-1))).toMatch(/I want my money back.*Say what they want\./);
  line.press('1');
  expect(await outcome).toMatchObject({ status: 'answered' });
  expect(talk.conversation.context.messages).toHaveLength(before);
  line.hangUp();
  await call.ended;
});

/** A model that answers with these parts, one a second. */
function slowModel(parts: Iterable<object>) {
  const asked: (AbortSignal | undefined)[] = [];
  const rest = parts[Symbol.iterator]();
  const pull = async (to: ReadableStreamDefaultController<object>) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { value, done } = rest.next();
    if (done) return new Promise<void>(() => {});
    return to.enqueue(value);
  };
  const doStream = async ({ abortSignal }: { readonly abortSignal?: AbortSignal }) => {
    asked.push(abortSignal);
    return { stream: new ReadableStream({ pull }) };
  };
  const named = { specificationVersion: 'v3' as const, provider: 'slow.chat', modelId: 'slow', supportedUrls: {} };
  return { asked, model: { ...named, doStream, doGenerate: () => new Promise<never>(() => {}) } as never };
}

function* endlessWords(): Generator<object> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: '1' };
  for (;;) yield { type: 'text-delta', id: '1', delta: 'and so on ' };
}

test.each([
  [
    'that writes for more than 15 s',
    endlessWords(),
    15_000,
    'VB_DEADLINE_EXCEEDED',
    'has not written the briefing in time',
  ],
  ['that writes nothing for 10 s', [], 10_000, 'VB_PROVIDER_FAILED', 'no answer for 10000 ms'],
])(
  'a model %s: the transfer is refused, nobody is called, and the caller is with the bot',
  async (_what, parts, ms, code, words) => {
    await aiPackage(); // no time passes by the clock while it is loaded
    using _clock = new HastyClock();
    const { model, asked } = slowModel(parts);
    await using it = await scene({ tts: () => new Hum(), llm: model });
    it.call.converse({ system: 'You are a bakery.', messages: [{ role: 'user', content: 'I want my money back.' }] });
    const beganAt = performance.now();
    expect(await it.call.transfer(TO, { warm: { brief: { prompt: 'Say what they want.' } } })).toMatchObject({
      status: 'refused',
      code,
      detail: expect.stringContaining(words),
    });
    const tookMs = performance.now() - beganAt;
    expect({ tookMs, isInTime: tookMs > ms - 100 && tookMs < ms + 1_000 }).toMatchObject({ isInTime: true });
    expect(it.runner.asked).toEqual([]);
    expect(asked.map((signal) => signal?.aborted)).toEqual([true]); // what it writes is of no use any more
    await isBack(it);
  },
);
