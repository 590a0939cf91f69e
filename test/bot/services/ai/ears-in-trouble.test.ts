import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { createOpenAI } from '@ai-sdk/openai';
import { createXai } from '@ai-sdk/xai';
import { FakeElevenLabsScribe } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { FakeOpenAIAudio } from './fake-openai-audio.js';
import { FakeXaiAudio } from './fake-xai-audio.js';
import { startAiEars, until } from './start-ai-ears.js';

const KEY = 'secret-key-4711';

const xaiEars = (xai: FakeXaiAudio, options = {}) =>
  startAiEars({ model: createXai({ apiKey: KEY, baseURL: xai.url }).transcription(), ...options });

const openaiEars = (openai: FakeOpenAIAudio, options = {}) => {
  const model = createOpenAI({ apiKey: KEY, baseURL: openai.url }).transcription('gpt-realtime-whisper');
  return startAiEars({ model, ...options });
};

test('a connection that breaks is opened again, with the sound since the last final words', async () => {
  await using xai = await FakeXaiAudio.start({ texts: ['One.', 'Two.'] });
  using ears = await xaiEars(xai);
  ears.hear(600, 400);
  await until(() => ears.finals.length === 1, 'the first text');
  ears.hear(200);
  await xai.until(() => Buffer.concat(xai.streams[0]?.audio ?? []).length >= 8 * 1_200);
  xai.streams[0]?.socket.terminate();
  ears.hear(400, 400);
  await until(() => ears.finals.length === 2, 'the second text');
  expect(ears.finals).toEqual([
    { text: 'One.', untilMs: 600 },
    { text: 'Two.', untilMs: 1_600 },
  ]);
  expect(Buffer.concat(xai.streams[1]?.audio ?? []).length).toBe(8 * (2_000 - 600));
  expect(ears.troubles).toMatchObject([{ code: 'VB_PROVIDER_FAILED', isFinal: false, provider: 'xAI' }]);
});

test('an utterance whose stream breaks before its final words is heard again', async () => {
  await using openai = await FakeOpenAIAudio.start({ texts: ['One.'] });
  using ears = await openaiEars(openai);
  ears.hear(600);
  await openai.until(() => (openai.streams[0]?.audio.length ?? 0) > 20);
  openai.streams[0]?.socket.terminate();
  ears.hear(200, 400);
  await until(() => ears.finals.length === 1, 'the text');
  expect(ears.finals.map(({ text }) => text)).toEqual(['One.']);
  expect(openai.streams.length).toBeGreaterThanOrEqual(2);
});

test('an utterance that is final only when it ends is kept whole until then', async () => {
  await using openai = await FakeOpenAIAudio.start({ texts: ['One.'] });
  using ears = await openaiEars(openai);
  ears.hear(19_000);
  expect(ears.ear.droppedMs).toBe(0);
});

const refused: ReadonlyArray<
  [vendor: string, start: () => Promise<[AsyncDisposable, Awaited<ReturnType<typeof startAiEars>>]>]
> = [
  [
    'xAI',
    async () => {
      const xai = await FakeXaiAudio.start({ apiKey: 'another' });
      return [xai, await xaiEars(xai)];
    },
  ],
  [
    'OpenAI',
    async () => {
      const openai = await FakeOpenAIAudio.start({ apiKey: 'another' });
      return [openai, await openaiEars(openai)];
    },
  ],
];

test.each(refused)('a key that %s refuses is final, and no error repeats it', async (provider, start) => {
  const [vendor, ears] = await start();
  await using _vendor = vendor;
  using _ears = ears;
  await until(() => ears.troubles.length > 0, 'the refusal');
  expect(ears.troubles).toMatchObject([{ code: 'VB_CREDENTIALS_REFUSED', status: 401, isFinal: true, provider }]);
  expect(JSON.stringify(ears.troubles.map(({ message }) => message))).not.toContain(KEY);
});

test('a key that is refused behind the handshake is final too', async () => {
  await using scribe = await FakeElevenLabsScribe.start();
  const connected = scribe.nextSession();
  const elevenLabs = createElevenLabs({ apiKey: KEY, webSocket: scribe.webSocket });
  using ears = await startAiEars({ model: elevenLabs.transcription('scribe_v2_realtime') });
  (await connected).error('You must be authenticated to use this endpoint.', 'auth_error');
  await until(() => ears.troubles.length > 0, 'the refusal');
  expect(ears.troubles).toMatchObject([{ code: 'VB_CREDENTIALS_REFUSED', isFinal: true, provider: 'ElevenLabs' }]);
});

test('a vendor that is overloaded is asked again, and said so when it takes the audio', async () => {
  using _clock = new HastyClock();
  await using xai = await FakeXaiAudio.start({ texts: ['Hello.'] });
  xai.refusal = { status: 429, message: 'too many requests', retryAfterS: 1 };
  using ears = await xaiEars(xai);
  ears.hear(600, 400);
  setTimeout(() => {
    xai.refusal = undefined;
  }, 50);
  await until(() => ears.finals.length === 1, 'the text');
  expect(ears.troubles).toMatchObject([
    { status: 429, retryAfterMs: 1_000, isFinal: false, hint: expect.stringContaining('limit') },
  ]);
});

test('a vendor that never answers is given up after the time for that', async () => {
  using _clock = new HastyClock();
  await using scribe = await FakeElevenLabsScribe.start();
  scribe.hold(new Promise(() => {}));
  const elevenLabs = createElevenLabs({ apiKey: KEY, webSocket: scribe.webSocket });
  using ears = await startAiEars({ model: elevenLabs.transcription('scribe_v2_realtime'), giveUpAfterMs: 1_000 });
  await until(() => ears.troubles.length > 0, 'the end');
  expect(ears.troubles).toMatchObject([{ isFinal: true, message: expect.stringContaining('does not answer') }]);
});

test('ears that are closed leave no connection', async () => {
  await using openai = await FakeOpenAIAudio.start({ texts: ['One.'] });
  const ears = await openaiEars(openai);
  ears.hear(600, 400, 200);
  await openai.until(() => openai.streams.length === 2);
  ears.ear.close();
  ears.ear.close();
  await until(() => openai.streams.every(({ socket }) => socket.readyState === socket.CLOSED), 'the end');
  expect(ears.troubles).toEqual([]);
});
