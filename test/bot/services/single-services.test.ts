import { createOpenAI } from '@ai-sdk/openai';
import { LLMContext } from '../../../src/bot/conversation/llm-context.js';
import { LLMContextFrame } from '../../../src/bot/conversation/llm-context-frame.js';
import { InputAudioFrame, StartFrame, Turn } from '../../../src/bot/pipeline/frames/index.js';
import { LLMService } from '../../../src/bot/services/llm/index.js';
import { sharedHealth } from '../../../src/bot/services/service-health.js';
import { DeepgramSTT } from '../../../src/bot/services/stt/index.js';
import { CartesiaTTS } from '../../../src/bot/services/tts/cartesia-tts.js';
import type { BotEntry, CallTimeline } from '../../../src/call/timeline.js';
import { FakeCartesia } from '../../../src/lab/kit/fake-cartesia.js';
import { FakeDeepgram, FakeLanguageModel } from '../../../src/lab/kit/index.js';
import { Speaking, until } from './tts/speaking.js';

let notes: BotEntry[] = [];
const timeline: CallTimeline = { note: (entry) => void notes.push(entry), during: (_, work) => work() };

/** How the notes of a call name what has worked for it. */
const noted = () =>
  notes.flatMap((note) => {
    if (note.type !== 'service' && note.type !== 'model_asked') return [];
    const { provider, model } = note;
    return { does: note.type === 'service' ? note.does : 'language_model', provider, model };
  });

const failing = () => sharedHealth.failing.map(({ does, provider, model }) => ({ does, provider, model }));

beforeEach(() => {
  notes = [];
});

afterEach(() => {
  for (const state of sharedHealth.failing) sharedHealth.works(state);
});

test('a single voice that gives up is told to all calls by the name of its notes, and so is that it speaks again', async () => {
  await using fake = await FakeCartesia.start({ characterMs: 5 });
  const call = () => new Speaking(new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }), 8_000, timeline);
  fake.refuse(401, 'Invalid API key.');
  using first = call();
  await first.speak('Hello.');
  expect(failing()).toEqual([{ does: 'text_to_speech', provider: 'Cartesia', model: 'sonic-3.5' }]);
  expect(noted()).toEqual(failing());
  fake.recover();
  using second = call();
  await second.speak('Hello.');
  expect(second.audioMs).toBeGreaterThan(0);
  expect(failing()).toEqual([]);
});

test('a single voice that gives up before there is something to say is told to all calls', async () => {
  await using fake = await FakeCartesia.start();
  fake.refuse(401, 'Invalid API key.');
  using _call = new Speaking(new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
  await until(() => failing().length > 0, 'the refusal');
  expect(failing()).toMatchObject([{ does: 'text_to_speech', provider: 'Cartesia' }]);
});

test('single ears that give up are told to all calls by the name of their notes', async () => {
  await using fake = await FakeDeepgram.start();
  fake.refuse(401, 'Invalid credentials.');
  const stt = new DeepgramSTT({ apiKey: 'key', baseUrl: fake.url });
  const start = new StartFrame(8_000, 8_000);
  start.timeline = timeline;
  stt.receive(start, 'downstream');
  stt.receive(new InputAudioFrame(new Int16Array(160), 8_000), 'downstream');
  await until(() => failing().length > 0, 'the refusal');
  expect(failing()).toEqual([{ does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3' }]);
  expect(noted()).toEqual(failing());
  stt.cleanup();
});

test('a single model that fails is told to all calls by the name of its notes, and so is that it answers again', async () => {
  let isBroken = true;
  const replies = () => (isBroken ? { status: 401, error: 'Incorrect API key' } : { text: 'Hello.' });
  await using fake = await FakeLanguageModel.start({ replies });
  const service = new LLMService({ model: createOpenAI({ apiKey: 'key', baseURL: fake.url }).chat('gpt-4.1-mini') });
  const start = new StartFrame(8_000, 8_000);
  start.timeline = timeline;
  service.receive(start, 'downstream');
  const context = new LLMContext({ messages: [{ role: 'user', content: 'Hello?' }] });
  await service.process(new LLMContextFrame(context, new Turn(1)), 'downstream');
  expect(failing()).toEqual([{ does: 'language_model', provider: 'OpenAI', model: 'gpt-4.1-mini' }]);
  expect(noted()).toEqual(failing());
  isBroken = false;
  await service.process(new LLMContextFrame(context, new Turn(2)), 'downstream');
  expect(failing()).toEqual([]);
});
