import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { FakeElevenLabsScribe } from '../../../../src/lab/kit/index.js';
import { FakeOpenAIAudio } from './fake-openai-audio.js';
import { FakeXaiAudio } from './fake-xai-audio.js';
import { startAiEars, until } from './start-ai-ears.js';

const TEXTS = ['I would like a table.', 'For two, please.'];

test('a model of ElevenLabs hears mu-law as it came, and ends utterances by itself', async () => {
  await using scribe = await FakeElevenLabsScribe.start({ texts: TEXTS });
  const elevenLabs = createElevenLabs({ apiKey: 'key', webSocket: scribe.webSocket });
  using ears = await startAiEars({
    model: elevenLabs.transcription('scribe_v2_realtime'),
    language: 'en',
    keyterms: ['table'],
  });
  ears.hear(800, 600, 800, 600);
  await until(() => ears.finals.length === 2, 'two final texts');
  expect(ears.finals.map(({ text }) => text)).toEqual(TEXTS);
  expect(ears.interims.length).toBeGreaterThan(2);
  expect(Object.fromEntries(scribe.session.query)).toMatchObject({
    audio_format: 'ulaw_8000',
    commit_strategy: 'vad',
    vad_silence_threshold_secs: '0.3',
    language_code: 'en',
    keyterms: 'table',
  });
  expect(scribe.session.audioMs).toBe(2_800);
});

test('a model of xAI hears mu-law as it came, and says where its words end', async () => {
  await using xai = await FakeXaiAudio.start({ texts: TEXTS, apiKey: 'key' });
  using ears = await startAiEars({ model: createXai({ apiKey: 'key', baseURL: xai.url }).transcription() });
  ears.hear(800, 600, 800, 600);
  await until(() => ears.finals.length === 2, 'two final texts');
  expect(ears.finals).toEqual([
    { text: TEXTS[0], untilMs: 800 },
    { text: TEXTS[1], untilMs: 2_200 },
  ]);
  const query = new URL(xai.streams[0]?.request.url ?? '', 'http://fake').searchParams;
  expect(Object.fromEntries(query)).toMatchObject({ encoding: 'mulaw', sample_rate: '8000', endpointing: '300' });
});

test('a model of OpenAI gets each utterance as a stream of its own, at 24000 Hz, and no silence between them', async () => {
  await using openai = await FakeOpenAIAudio.start({ texts: TEXTS, apiKey: 'key' });
  const model = createOpenAI({ apiKey: 'key', baseURL: openai.url }).transcription('gpt-realtime-whisper');
  using ears = await startAiEars({ model, language: 'en' });
  ears.hear(800, 3_000, 800, 600);
  await until(() => ears.finals.length === 2, 'two final texts');
  expect(ears.finals.map(({ text }) => text)).toEqual(TEXTS);
  expect(ears.interims).toContain('I would like');
  expect(ears.troubles).toEqual([]);
  const [first, second] = openai.streams;
  const msOf = (stream = first) => Buffer.concat(stream?.audio ?? []).length / 48;
  expect(msOf(first)).toBeGreaterThanOrEqual(1_060);
  expect(msOf(first)).toBeLessThan(1_400);
  expect(msOf(second)).toBeLessThan(1_800);
  const [untilMs] = ears.finals.map((final) => final.untilMs ?? 0);
  expect(untilMs).toBeGreaterThanOrEqual(1_100);
  expect(untilMs).toBeLessThan(1_400);
});
