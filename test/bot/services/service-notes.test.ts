import { AsyncLocalStorage } from 'node:async_hooks';
import { createOpenAI } from '@ai-sdk/openai';
import { LLMContext } from '../../../src/bot/conversation/llm-context.js';
import { LLMContextFrame } from '../../../src/bot/conversation/llm-context-frame.js';
import { StartFrame, TTSSpeakFrame, Turn } from '../../../src/bot/pipeline/frames/index.js';
import type { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { LLMService } from '../../../src/bot/services/llm/index.js';
import { DeepgramSTT } from '../../../src/bot/services/stt/index.js';
import { CartesiaTTS } from '../../../src/bot/services/tts/cartesia-tts.js';
import { PhraseCache } from '../../../src/bot/services/tts/phrase-cache.js';
import type { BotEntry, CallTimeline, TimelineStep } from '../../../src/call/timeline.js';
import { FakeCartesia } from '../../../src/lab/kit/fake-cartesia.js';
import { FakeDeepgram, FakeLanguageModel } from '../../../src/lab/kit/index.js';
import { Speaking } from './tts/speaking.js';

/** Keeps what is noted, and knows what is being worked on. */
class HandTimeline implements CallTimeline {
  readonly entries: BotEntry[] = [];
  readonly #steps = new AsyncLocalStorage<TimelineStep>();

  get step(): TimelineStep | undefined {
    return this.#steps.getStore();
  }

  note(entry: BotEntry): void {
    this.entries.push(entry);
  }

  during<Result>(step: TimelineStep, work: () => Result): Result {
    return this.#steps.run(step, work);
  }

  of<Type extends BotEntry['type']>(type: Type): Array<Extract<BotEntry, { type: Type }>> {
    return this.entries.filter((entry): entry is Extract<BotEntry, { type: Type }> => entry.type === type);
  }
}

let timeline: HandTimeline;
beforeEach(() => {
  timeline = new HandTimeline();
});

function begin(processor: FrameProcessor): void {
  const start = new StartFrame(8_000, 8_000);
  start.timeline = timeline;
  processor.receive(start, 'downstream');
}

test('a model and the functions it calls are noted with their turn, and what they do belongs to them', async () => {
  await using fake = await FakeLanguageModel.start({
    replies: (messages) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'It is late.' }
        : {
            toolCalls: [
              { name: 'clock', input: {} },
              { name: 'broken', input: {} },
              { name: 'none', input: {} },
            ],
          },
  });
  const during: Array<TimelineStep | undefined> = [];
  const model = createOpenAI({
    baseURL: fake.url,
    apiKey: 'key',
    fetch: (...request) => {
      during.push(timeline.step);
      return fetch(...request);
    },
  }).chat('gpt-4.1-mini');
  const clock = async () => {
    await new Promise(setImmediate);
    during.push(timeline.step);
    return 'late';
  };
  const broken = () => {
    throw new RangeError('+12025550142 is too much');
  };
  const tools = Object.entries({ clock, broken }).map(([name, execute]) => ({
    name,
    description: name,
    parameters: { type: 'object' } as const,
    execute,
  }));
  const service = new LLMService({ model });
  begin(service);
  const turn = new Turn(3);
  turn.mark('callerStopped');
  await service.process(new LLMContextFrame(new LLMContext({ tools }), turn), 'downstream');

  expect(timeline.entries.map(({ type }) => type)).toEqual([
    'turn_started',
    'model_asked',
    'usage',
    'model_answered',
    ...['tool_called', 'tool_called', 'tool_called'],
    ...['tool_returned', 'tool_returned', 'tool_returned'],
    'model_asked',
    'usage',
    'model_answered',
  ]);
  const [started] = timeline.of('turn_started');
  expect(Math.abs((started?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
  const [first, second] = timeline.of('model_asked').map(({ response }) => ({ response }));
  const [call] = timeline.of('tool_called').map(({ call }) => ({ call }));
  expect(during).toEqual([first, call, second]);
  expect(timeline.of('model_answered')[1]).toMatchObject({ finishReason: 'stop', firstTokenMs: expect.any(Number) });
  expect(timeline.of('tool_called').map(({ turn }) => turn)).toEqual([3, 3, 3]);
  expect(Object.fromEntries(timeline.of('tool_returned').map(({ name, errorType }) => [name, errorType]))).toEqual({
    clock: undefined,
    broken: 'RangeError',
    none: 'unknown_function',
  });
});

test('what the model is asked with is noted once, as fingerprints, and again where it has changed', async () => {
  const hours = {
    name: 'hours',
    description: 'Tells hours.',
    parameters: { type: 'object' } as const,
    execute: () => 1,
  };
  const asked = async (system: string, tools: readonly (typeof hours)[]) => {
    await using fake = await FakeLanguageModel.start({ replies: () => ({ text: 'yes' }) });
    timeline = new HandTimeline();
    const service = new LLMService({ model: createOpenAI({ apiKey: 'test', baseURL: fake.url }).chat('gpt-4.1-mini') });
    begin(service);
    const context = new LLMContext({ system, tools });
    for (const turn of [new Turn(1), new Turn(2)])
      await service.process(new LLMContextFrame(context, turn), 'downstream');
    return timeline.of('model_asked').map(({ prompt, functions }) => ({ prompt, functions }));
  };
  const [first, second] = await asked('Be nice.', [hours]);
  expect(first).toEqual({ prompt: expect.stringMatching(/^[0-9a-f]{12}$/), functions: { hours: expect.any(String) } });
  expect(second).toEqual({ prompt: undefined, functions: undefined });
  const [same] = await asked('Be nice.', [{ ...hours }]);
  expect(same).toEqual(first);
  const [other] = await asked('Be rude.', [{ ...hours, description: 'Tells times.' }]);
  expect(other?.prompt).not.toBe(first?.prompt);
  expect(other?.functions?.hours).not.toBe(first?.functions?.hours);
});

test('a model that fails is noted with the code of its error', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { status: 401 } });
  const service = new LLMService({ model: createOpenAI({ baseURL: fake.url, apiKey: 'key' }).chat('m') });
  begin(service);
  await service.process(new LLMContextFrame(new LLMContext({}), new Turn(1)), 'downstream');
  expect(timeline.of('model_answered')).toMatchObject([{ errorType: 'VB_CREDENTIALS_REFUSED' }]);
});

test('a voice is noted when it is asked, not when the cache has what it would say', async () => {
  await using fake = await FakeCartesia.start({ characterMs: 5 });
  const tts = new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: new PhraseCache() });
  using speaking = new Speaking(tts, 8_000, timeline);
  await speaking.speak('Hello.');
  await speaking.speak('Hello.');
  speaking.answer('One moment.');
  await speaking.said();
  const long = new TTSSpeakFrame('This will take longer than anybody wants to listen.');
  speaking.queue(long);
  speaking.interrupt();
  await long.synthesised;

  expect(timeline.of('service')).toEqual([
    { type: 'service', does: 'text_to_speech', provider: 'Cartesia', model: 'sonic-3.5' },
  ]);
  expect(timeline.of('voice_asked').map(({ turn }) => turn)).toEqual([undefined, 1, undefined]);
  const answers = timeline.of('voice_answered');
  expect(answers.map(({ outcome }) => outcome)).toEqual(['said', 'said', 'cancelled']);
  expect(answers.map(({ utterance }) => utterance)).toEqual(
    timeline.of('voice_asked').map(({ utterance }) => utterance),
  );
  expect(answers[0]?.firstAudioMs).toBeLessThanOrEqual(answers[0]?.ms as number);
  expect(answers[2]?.firstAudioMs).toBeUndefined();
});

test('a service that listens is noted when it begins', async () => {
  await using fake = await FakeDeepgram.start();
  const stt = new DeepgramSTT({ apiKey: 'key', baseUrl: fake.url });
  begin(stt);
  stt.cleanup();
  expect(timeline.entries).toEqual([
    { type: 'service', does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3' },
  ]);
});
