import { decodeMulaw, encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import {
  CancelFrame,
  EndFrame,
  InterruptionFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  OutputAudioFrame,
  TTSSpeakFrame,
  TTSStartedFrame,
  TTSTextFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { CartesiaTTS } from '../../../../src/bot/services/tts/cartesia-tts.js';
import { DeepgramTTS } from '../../../../src/bot/services/tts/deepgram-tts.js';
import { ElevenLabsTTS } from '../../../../src/bot/services/tts/elevenlabs-tts.js';
import type { TtsService } from '../../../../src/bot/services/tts/tts-service.js';
import { FakeCartesia } from '../../../../src/lab/kit/fake-cartesia.js';
import { FakeDeepgramSpeak } from '../../../../src/lab/kit/fake-deepgram-speak.js';
import { FakeElevenLabs } from '../../../../src/lab/kit/fake-elevenlabs.js';
import { buzz, type FakeVoiceOptions } from '../../../../src/lab/kit/fake-speech.js';
import type { FakeVoiceServer } from '../../../../src/lab/kit/fake-voice-server.js';
import { HastyClock } from '../../../hasty-clock.js';
import { answerOf, Speaking, until } from './speaking.js';

const FIRST = 'Good morning, and welcome. ';
const SECOND = 'What can I do for you?';
const textMs = (...texts: string[]) => texts.reduce((sum, text) => sum + text.trim().length * 60, 0);

interface Provider {
  start(options?: FakeVoiceOptions): Promise<FakeVoiceServer>;
  voice(url: string, options?: { apiKey?: string; patienceMs?: number }): TtsService;
  hasTimes: boolean;
}

const PROVIDERS: Record<string, Provider> = {
  Cartesia: {
    start: (options) => FakeCartesia.start(options),
    voice: (baseUrl, options) => new CartesiaTTS({ apiKey: 'key', baseUrl, cache: false, ...options }),
    hasTimes: true,
  },
  ElevenLabs: {
    start: (options) => FakeElevenLabs.start(options),
    voice: (baseUrl, options) => new ElevenLabsTTS({ apiKey: 'key', baseUrl, cache: false, ...options }),
    hasTimes: true,
  },
  Deepgram: {
    start: (options) => FakeDeepgramSpeak.start(options),
    voice: (baseUrl, options) => new DeepgramTTS({ apiKey: 'key', baseUrl, cache: false, ...options }),
    hasTimes: false,
  },
};

describe.each(Object.entries(PROVIDERS))('%s', (_name, { start, voice, hasTimes }) => {
  test('says an answer sentence by sentence, each text right before its audio', async () => {
    await using fake = await start();
    using speaking = new Speaking(voice(fake.url));
    const response = speaking.answer(...FIRST, ...SECOND);
    await speaking.said();
    expect(fake.requests.map(({ text }) => text.trim())).toEqual([FIRST.trim(), SECOND]);
    const spoken = speaking.order.filter((kind) => kind !== 'LLMText');
    expect(spoken).toEqual([
      'LLMResponseStart',
      'TTSStarted',
      FIRST,
      'OutputAudio',
      SECOND,
      'OutputAudio',
      'TTSStopped',
      'LLMResponseEnd',
    ]);
    expect(speaking.after.of(TTSStartedFrame)[0]?.utterance).toMatchObject({ response, appendToContext: true });
    expect(speaking.audioMs).toBeCloseTo(textMs(FIRST, SECOND), 0);
    expect(speaking.errors).toEqual([]);
    const { times } = response.turn;
    expect(times.firstAudio).toBeGreaterThanOrEqual(times.speechRequested as number);
  });

  test('gives the audio as it was sent, wherever it is cut', async () => {
    const pcm = Int16Array.from(buzz(1_000, 8_000), (sample, index) => sample + (index % 977));
    await using fake = await start({ audio: () => pcm, chunkBytes: 333 });
    using speaking = new Speaking(voice(fake.url));
    await speaking.speak('Hello.');
    expect(speaking.audio).toEqual(decodeMulaw(encodeMulaw(pcm)));
  });

  test('gives 16-bit audio as it was sent, cut in the middle of samples, at another rate', async () => {
    const pcm = Int16Array.from(buzz(500, 16_000), (sample, index) => sample - (index % 977));
    await using fake = await start({ audio: () => pcm, chunkBytes: 331 });
    using speaking = new Speaking(voice(fake.url), 16_000);
    await speaking.speak('Hello.');
    expect(speaking.audio).toEqual(pcm);
    expect(speaking.after.of(OutputAudioFrame)[0]?.sampleRate).toBe(16_000);
  });

  test('gives the times of the words, counted from the first sample of the utterance', async () => {
    await using fake = await start({ chunkBytes: 700 });
    using speaking = new Speaking(voice(fake.url));
    speaking.answer(FIRST, SECOND);
    await speaking.said();
    expect(speaking.words.map(({ text }) => text)).toEqual(`${FIRST}${SECOND}`.split(' '));
    if (!hasTimes) return; // they are estimated
    const welcome = speaking.words[3];
    expect(welcome?.startMs).toBeCloseTo(FIRST.indexOf('welcome') * 60, -1);
    const second = speaking.words[4];
    expect(Math.abs((second?.startMs ?? 0) - textMs(FIRST))).toBeLessThan(15);
    expect(Math.abs((speaking.words.at(-1)?.endMs ?? 0) - speaking.audioMs)).toBeLessThan(80);
  });

  test('is connected before there is anything to say, and keeps the connection', async () => {
    await using fake = await start();
    using speaking = new Speaking(voice(fake.url));
    await until(() => fake.open === 1, 'the connection');
    await speaking.speak('One.');
    await speaking.speak('Two.');
    expect(fake.connections).toHaveLength(1);
    expect(speaking.stops).toBe(2);
  });

  test('says what is queued before the connection is there', async () => {
    await using fake = await start();
    using speaking = new Speaking(voice(fake.url));
    expect(fake.open).toBe(0);
    await speaking.speak('Early.');
    expect(speaking.audioMs).toBeCloseTo(textMs('Early.'), 0);
  });

  test('an interruption reaches the provider, and nothing of what was being said follows', async () => {
    await using fake = await start({ betweenChunksMs: 5 });
    using speaking = new Speaking(voice(fake.url));
    const response = answerOf();
    speaking.queue(
      new LLMResponseStartFrame(response),
      new LLMTextFrame(response, 'A long sentence about nothing. And '),
    );
    const asked = new TTSSpeakFrame('Never said.');
    speaking.queue(new LLMResponseEndFrame(response), asked);
    await until(() => speaking.audioMs > 200, 'audio');
    speaking.interrupt();
    const before = speaking.after.seen.length;
    await asked.synthesised;
    await until(() => fake.cancels.length > 0, 'the cancellation');
    await speaking.speak('New.');
    const after = speaking.after.seen.slice(before).map(({ frame }) => frame.constructor.name);
    expect(after.filter((name) => name.startsWith('LLM'))).toEqual([]);
    expect(speaking.texts.at(-1)).toBe('New.');
    const late = speaking.after.seen
      .slice(before)
      .flatMap(({ frame }) => (frame instanceof OutputAudioFrame ? [frame] : []));
    expect(late.reduce((sum, { pcm }) => sum + pcm.length / 8, 0)).toBeCloseTo(textMs('New.'), 0);
    expect(speaking.errors).toEqual([]);
  });

  test('an interruption before anything was said leaves no trace', async () => {
    await using fake = await start({ firstByteMs: 30 });
    using speaking = new Speaking(voice(fake.url));
    speaking.answer('Hello there. ');
    await until(() => fake.requests.length === 1, 'the request');
    speaking.interrupt();
    await speaking.speak('New.');
    expect(speaking.texts).toEqual(['New.']);
    expect(speaking.audioMs).toBeCloseTo(textMs('New.'), 0);
  });

  test('keeps what follows behind it: an EndFrame passes when all has been said', async () => {
    await using fake = await start({ betweenChunksMs: 2 });
    using speaking = new Speaking(voice(fake.url));
    speaking.queue(new TTSSpeakFrame('Goodbye.'));
    speaking.end();
    await until(() => speaking.after.of(EndFrame).length > 0, 'the end');
    expect(speaking.order.slice(-3)).toEqual(['OutputAudio', 'TTSStopped', 'End']);
    await until(() => fake.open === 0, 'the end of the connection');
  });

  test('a cancellation closes the connection and settles what waits', async () => {
    await using fake = await start({ reply: () => 'hang' });
    using speaking = new Speaking(voice(fake.url));
    const [asked, behind] = [new TTSSpeakFrame('Never.'), new TTSSpeakFrame('Neither.')];
    speaking.queue(asked, behind);
    await until(() => fake.requests.length === 1, 'the request');
    speaking.queue(new CancelFrame());
    await Promise.all([asked.synthesised, behind.synthesised]);
    await until(() => fake.open === 0, 'the end of the connection');
    expect(speaking.texts).toEqual([]);
  });

  test('asks again on a new connection when one breaks before there was audio', async () => {
    using _clock = new HastyClock();
    await using fake = await start({ reply: (_text, count) => (count === 0 ? { dropAfterMs: 0 } : 'speak') });
    using speaking = new Speaking(voice(fake.url));
    await speaking.speak(FIRST);
    expect(fake.requests.map(({ text }) => text.trim())).toEqual([FIRST.trim(), FIRST.trim()]);
    expect(speaking.texts).toEqual([FIRST]);
    expect(speaking.audioMs).toBeCloseTo(textMs(FIRST), 0);
    expect(speaking.errors).toEqual([expect.objectContaining({ code: 'VB_PROVIDER_FAILED', isFinal: false })]);
  });

  test('goes on at the word in which the connection broke', async () => {
    using _clock = new HastyClock();
    await using fake = await start({ reply: (_text, count) => (count === 1 ? { dropAfterMs: 400 } : 'speak') });
    using speaking = new Speaking(voice(fake.url));
    speaking.answer(FIRST, SECOND);
    await speaking.said();
    expect(speaking.texts).toEqual([FIRST, SECOND]);
    expect(speaking.stops).toBe(1);
    expect(speaking.words.map(({ text }) => text)).toEqual(`${FIRST}${SECOND}`.split(' '));
    // a voice without times is asked for the whole text, and what was heard of it is left out, but for 120 ms
    const asked = hasTimes ? SECOND.replace('What ', '') : SECOND;
    expect(fake.requests.map(({ text }) => text.trim())).toEqual([FIRST.trim(), SECOND, asked]);
    const twiceMs = hasTimes ? 400 - textMs('What ') - 60 : 120;
    expect(speaking.audioMs).toBeCloseTo(textMs(FIRST, SECOND) + twiceMs, -1);
    if (!hasTimes) return;
    const [can, i] = ['can', 'I'].map((word) => speaking.words.find(({ text }) => text === word));
    expect((can?.startMs ?? 0) - textMs(FIRST)).toBeGreaterThan(290); // the first "can", or the second
    expect((can?.startMs ?? 0) - textMs(FIRST)).toBeLessThan(410);
    expect(i?.startMs).toBeCloseTo(textMs(FIRST) + 400 + 240, -1); // as it is heard, behind the second "can"
  });

  test('connects again, without a word, when a connection ends while nothing is being said', async () => {
    await using fake = await start();
    using speaking = new Speaking(voice(fake.url));
    await speaking.speak('One.');
    fake.dropConnections();
    await until(() => fake.connections.length === 2 && fake.open === 1, 'the new connection');
    await speaking.speak('Two.');
    expect(speaking.errors).toEqual([]);
    expect(speaking.stops).toBe(2);
  });

  test('asks once more when no audio comes, then gives up', async () => {
    using _clock = new HastyClock();
    await using fake = await start({ reply: () => 'hang' });
    using speaking = new Speaking(voice(fake.url, { patienceMs: 60 }));
    await speaking.speak(FIRST);
    expect(fake.requests).toHaveLength(2);
    expect(fake.connections).toHaveLength(2);
    expect(speaking.errors.map(({ isFinal }) => isFinal)).toEqual([false, true]);
    expect(speaking.errors[0]?.message).toContain('no audio for 60 ms');
    expect(speaking.texts).toEqual([]);
  });

  test('says what it was asked when the provider answers the second time', async () => {
    using _clock = new HastyClock();
    await using fake = await start({ reply: (_text, count) => (count === 0 ? 'hang' : 'speak') });
    using speaking = new Speaking(voice(fake.url, { patienceMs: 300 }));
    await speaking.speak(FIRST);
    expect(speaking.audioMs).toBeCloseTo(textMs(FIRST), 0);
    expect(speaking.errors.map(({ isFinal }) => isFinal)).toEqual([false]);
  });

  test('gives up at once when the key is refused, and says where keys are made, not which', async () => {
    await using fake = await start({ apiKey: 'right' });
    using speaking = new Speaking(voice(fake.url, { apiKey: 'very-secret-wrong' }));
    await speaking.speak(FIRST);
    await speaking.speak(SECOND);
    expect(fake.connections).toHaveLength(1);
    expect(speaking.errors).toEqual([
      expect.objectContaining({ code: 'VB_CREDENTIALS_REFUSED', isFinal: true, status: 401 }),
    ]);
    const [error] = speaking.errors;
    expect(`${error?.message} ${error?.hint} ${error?.stack}`).not.toContain('very-secret-wrong');
    expect(error?.hint).toContain('API_KEY');
    expect(speaking.texts).toEqual([]);
  });

  test('gives up at once when the connection is refused as no other would be, and tries again when it is busy', async () => {
    using _clock = new HastyClock();
    await using fake = await start();
    fake.refuse(404, 'no such voice');
    using refused = new Speaking(voice(fake.url));
    await refused.speak(FIRST);
    expect(fake.connections).toHaveLength(1);
    expect(refused.errors).toMatchObject([{ isFinal: true, status: 404 }]);
    fake.refuse(429, 'too many connections');
    using busy = new Speaking(voice(fake.url));
    const speaking = busy.speak(FIRST);
    await until(() => fake.connections.length > 2, 'another attempt');
    fake.recover();
    await speaking;
    expect(busy.audioMs).toBeCloseTo(textMs(FIRST), 0);
  });

  test.each([0, Number.NaN, Number.POSITIVE_INFINITY])('refuses a patience of %d ms', (patienceMs) => {
    expect(() => voice('http://127.0.0.1:9', { patienceMs })).toThrow(
      `patienceMs must be 20 to 30000, got ${patienceMs}`,
    );
  });

  test("tells the provider's words when it refuses a text, and gives up", async () => {
    using _clock = new HastyClock();
    await using fake = await start({ reply: () => ({ error: 'voice not found', status: 404 }) });
    using speaking = new Speaking(voice(fake.url));
    await speaking.speak(FIRST);
    expect(speaking.errors.at(-1)).toMatchObject({
      isFinal: true,
      message: expect.stringContaining('voice not found'),
    });
  });

  test('says a text of the bot between what the model has written and what it goes on to write', async () => {
    await using fake = await start();
    using speaking = new Speaking(voice(fake.url));
    const response = answerOf();
    speaking.queue(new LLMResponseStartFrame(response), new LLMTextFrame(response, 'Let me see'));
    speaking.queue(new TTSSpeakFrame('One moment.', { appendToContext: false }));
    speaking.queue(new LLMTextFrame(response, 'Here it is.'), new LLMResponseEndFrame(response));
    await speaking.said();
    expect(speaking.texts).toEqual(['Let me see', 'One moment.', 'Here it is.']);
    const utterances = speaking.after.of(TTSStartedFrame).map(({ utterance }) => utterance);
    expect(utterances.map((utterance) => utterance.response)).toEqual([response, undefined, response]);
    expect(utterances.map(({ appendToContext }) => appendToContext)).toEqual([true, false, true]);
    expect(new Set(utterances.map(({ id }) => id)).size).toBe(3);
  });

  test('says nothing of a text without words, and settles it in its place', async () => {
    await using fake = await start();
    using speaking = new Speaking(voice(fake.url));
    speaking.answer('😀 ');
    const order: string[] = [];
    const frames = ['First.', '', '**'].map((text) => new TTSSpeakFrame(text));
    for (const frame of frames) void frame.synthesised.then(() => order.push(frame.text));
    speaking.queue(...frames);
    await speaking.said();
    expect(order).toEqual(['First.', '', '**']);
    expect(fake.requests.map(({ text }) => text.trim())).toEqual(['First.']);
  });

  test('an interruption from behind stops it as well', async () => {
    await using fake = await start({ betweenChunksMs: 5 });
    using speaking = new Speaking(voice(fake.url));
    void speaking.speak('A sentence that takes a while.');
    await until(() => speaking.audioMs > 0, 'audio');
    speaking.after.receive(new InterruptionFrame(), 'upstream');
    await until(() => fake.cancels.length > 0, 'the cancellation');
    const before = speaking.audioMs;
    await speaking.speak('New.');
    expect(speaking.audioMs - before).toBeCloseTo(textMs('New.'), 0);
  });

  test('gives up on a connection that breaks again and again in the middle of a text, and says it twice', async () => {
    using _clock = new HastyClock();
    await using fake = await start({ reply: () => ({ dropAfterMs: 100 }) });
    using speaking = new Speaking(voice(fake.url));
    await speaking.speak(FIRST);
    expect(fake.requests).toHaveLength(4);
    expect(speaking.errors.map(({ isFinal }) => isFinal)).toEqual([false, true]);
    expect(speaking.order.slice(-4)).toEqual(['Error', 'TTSStopped', 'Line', 'End']); // it apologises
    expect(speaking.stops).toBe(1);
  });

  test('settles a text that an interruption drops while it waits its turn', async () => {
    await using fake = await start({ reply: () => 'hang' });
    using speaking = new Speaking(voice(fake.url));
    const frames = ['One.', 'Two.', 'Three.'].map((text) => new TTSSpeakFrame(text));
    speaking.queue(...frames, new InterruptionFrame());
    await Promise.all(frames.map(({ synthesised }) => synthesised));
    expect(speaking.after.of(TTSTextFrame)).toEqual([]);
  });
});

test.each<[string, Provider['start'], (baseUrl: string) => TtsService, string]>([
  [
    'Cartesia',
    () => FakeCartesia.start(),
    (baseUrl) => new CartesiaTTS({ apiKey: 'key', baseUrl, cache: false, language: 'de' }),
    'Stern oder Raute.',
  ],
  [
    'ElevenLabs',
    () => FakeElevenLabs.start(),
    (baseUrl) => new ElevenLabsTTS({ apiKey: 'key', baseUrl, cache: false, language: 'es' }),
    'asterisco oder almohadilla.',
  ],
  [
    'Deepgram',
    () => FakeDeepgramSpeak.start(),
    (baseUrl) => new DeepgramTTS({ apiKey: 'key', baseUrl, cache: false, voice: 'aura-2-agathe-fr' }),
    'étoile oder dièse.',
  ],
])('%s says keys in the language of its voice', async (_name, start, voice, expected) => {
  await using fake = await start();
  using speaking = new Speaking(voice(fake.url));
  speaking.answer('Die *neue* ', 'Taste ist * oder', ' #.');
  await speaking.speak('Taste * oder #.');
  expect(fake.requests.map(({ text }) => text.trim())).toEqual([`Die neue Taste ist ${expected}`, `Taste ${expected}`]);
  expect(speaking.texts.map((text) => text.trim())).toEqual([`Die neue Taste ist ${expected}`, `Taste ${expected}`]);
});

describe('a provider that does not come back', () => {
  test('gives up when the provider is gone for good, in about four seconds', async () => {
    using _clock = new HastyClock();
    const fake = await FakeCartesia.start();
    using speaking = new Speaking(new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
    await speaking.speak('One.');
    await fake.close();
    const startedAt = performance.now();
    await speaking.speak('Two.');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(speaking.errors.at(-1)).toMatchObject({ isFinal: true, code: 'VB_PROVIDER_FAILED' });
    await speaking.speak('Three.');
    expect(speaking.stops).toBe(1);
  });

  test('tells of a connection that breaks at every text once, and gives up after some attempts', async () => {
    using _clock = new HastyClock();
    await using fake = await FakeCartesia.start({ reply: () => ({ dropAfterMs: 0 }) });
    using speaking = new Speaking(new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
    const startedAt = performance.now();
    await speaking.speak(FIRST);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(speaking.errors.map(({ isFinal }) => isFinal)).toEqual([false, true]);
    expect(fake.requests).toHaveLength(5);
  });
});
