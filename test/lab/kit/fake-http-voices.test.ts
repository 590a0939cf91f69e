import { createDeepgram } from '@ai-sdk/deepgram';
import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { createOpenAI } from '@ai-sdk/openai';
import { DeepgramClient } from '@deepgram/sdk';
import { generateSpeech } from 'ai';
import OpenAI from 'openai';
import { FakeDeepgramSpeak, FakeElevenLabs, FakeOpenAISpeech } from '../../../src/lab/kit/index.js';

const text = 'Hello there';
/** Milliseconds of `text`. */
const SPOKEN_MS = text.length * 10;
const voices = { characterMs: 10, apiKey: 'test' };

/** The packages of these vendors take no address, but their own way to fetch. */
const redirectedTo =
  (address: string): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(String(input));
    return fetch(`${address}${pathname}${search}`, init);
  };

test("OpenAI's speech is what @ai-sdk/openai and the vendor's own client expect", async () => {
  await using fake = await FakeOpenAISpeech.start(voices);
  const model = createOpenAI({ apiKey: 'test', baseURL: fake.url }).speech('gpt-4o-mini-tts');
  const { audio } = await generateSpeech({ model, text, voice: 'alloy', outputFormat: 'pcm' });
  expect(audio.uint8Array).toHaveLength(SPOKEN_MS * 48);
  const client = new OpenAI({ apiKey: 'test', baseURL: fake.url });
  const spoken = await client.audio.speech.create({
    model: 'tts-1',
    input: text,
    voice: 'alloy',
    response_format: 'wav',
  });
  const wav = Buffer.from(await spoken.arrayBuffer());
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
  expect(wav.length).toBeGreaterThan(SPOKEN_MS * 48);
  expect(fake.requests.map((request) => request.text)).toEqual([text, text]);
});

test("ElevenLabs' speech over HTTP is what @ai-sdk/elevenlabs expects", async () => {
  await using fake = await FakeElevenLabs.start(voices);
  const model = createElevenLabs({ apiKey: 'test', fetch: redirectedTo(fake.url) }).speech('eleven_flash_v2_5');
  const { audio } = await generateSpeech({ model, text, voice: 'Sarah', outputFormat: 'pcm_16000' });
  expect(audio.uint8Array).toHaveLength(SPOKEN_MS * 32);
});

test("Deepgram's speech over HTTP is what @ai-sdk/deepgram and the vendor's own client expect", async () => {
  await using fake = await FakeDeepgramSpeak.start(voices);
  const model = createDeepgram({ apiKey: 'test', fetch: redirectedTo(fake.url) }).speech('aura-2-thalia-en');
  const providerOptions = { deepgram: { encoding: 'linear16', sampleRate: 16_000, container: 'none' } };
  const { audio } = await generateSpeech({ model, text, providerOptions });
  expect(audio.uint8Array).toHaveLength(SPOKEN_MS * 32);
  const client = new DeepgramClient({ apiKey: 'test', baseUrl: fake.url });
  const spoken = await client.speak.v1.audio.generate({
    text,
    model: 'aura-2-thalia-en',
    encoding: 'mulaw',
    sample_rate: 8_000,
    container: 'none',
  });
  expect((await spoken.arrayBuffer()).byteLength).toBe(SPOKEN_MS * 8);
});

test('refuses in the words of each vendor, and does what it is told to', async () => {
  let reply: 'hang' | { error: string; status: number } | { dropAfterMs: number } = { error: 'slow down', status: 429 };
  await using fake = await FakeOpenAISpeech.start({ ...voices, reply: () => reply });
  const client = new OpenAI({ apiKey: 'test', baseURL: fake.url, maxRetries: 0 });
  const ask = (fields: object = {}) =>
    client.audio.speech.create({ model: 'tts-1', input: text, voice: 'alloy', response_format: 'pcm', ...fields });
  await expect(ask()).rejects.toMatchObject({ status: 429, message: expect.stringContaining('slow down') });
  await expect(ask({ speed: 9 })).rejects.toMatchObject({ status: 400, message: expect.stringContaining('speed') });
  await expect(ask({ response_format: 'ogg' })).rejects.toMatchObject({ status: 400 });
  reply = { dropAfterMs: 50 };
  await expect(ask().then((spoken) => spoken.arrayBuffer())).rejects.toThrow();
  fake.refuse(503, 'overloaded');
  await expect(ask()).rejects.toMatchObject({ status: 503 });
  const stranger = new OpenAI({ apiKey: 'wrong', baseURL: fake.url, maxRetries: 0 });
  fake.recover();
  await expect(stranger.audio.speech.create({ model: 'tts-1', input: text, voice: 'alloy' })).rejects.toMatchObject({
    status: 401,
  });
});
