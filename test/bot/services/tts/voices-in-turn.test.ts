import { Resampler } from '../../../../src/base/audio/resampler.js';
import { LLMResponseEndFrame, LLMResponseStartFrame, LLMTextFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { sharedHealth } from '../../../../src/bot/services/service-health.js';
import { CartesiaTTS } from '../../../../src/bot/services/tts/cartesia-tts.js';
import { DeepgramTTS } from '../../../../src/bot/services/tts/deepgram-tts.js';
import { ElevenLabsTTS } from '../../../../src/bot/services/tts/elevenlabs-tts.js';
import { PhraseCache } from '../../../../src/bot/services/tts/phrase-cache.js';
import { TtsInTurn } from '../../../../src/bot/services/tts/tts-in-turn.js';
import type { TtsService } from '../../../../src/bot/services/tts/tts-service.js';
import type { BotEntry } from '../../../../src/call/timeline.js';
import { FakeCartesia } from '../../../../src/lab/kit/fake-cartesia.js';
import { FakeDeepgramSpeak } from '../../../../src/lab/kit/fake-deepgram-speak.js';
import { FakeElevenLabs } from '../../../../src/lab/kit/fake-elevenlabs.js';
import type { FakeVoiceOptions } from '../../../../src/lab/kit/fake-speech.js';
import type { FakeVoiceServer } from '../../../../src/lab/kit/fake-voice-server.js';
import { hurried } from '../../../hasty-clock.js';
import { answerOf, Speaking, until } from './speaking.js';
import { heardWords, toneWords, wordsOnce } from './tone-words.js';

hurried();

const TEXT = 'Good morning and welcome to our little bakery around the corner.';
const NEXT = 'What may we bake for you on this fine day?';

type Start = (options?: FakeVoiceOptions) => Promise<FakeVoiceServer>;
type Make = (baseUrl: string, cache?: PhraseCache | false) => TtsService;

const VOICES: Readonly<Record<string, { start: Start; make: Make; tellsWords: boolean }>> = {
  Cartesia: {
    start: (options) => FakeCartesia.start(options),
    make: (baseUrl, cache = false) => new CartesiaTTS({ apiKey: 'key', baseUrl, cache }),
    tellsWords: true,
  },
  ElevenLabs: {
    start: (options) => FakeElevenLabs.start(options),
    make: (baseUrl, cache = false) => new ElevenLabsTTS({ apiKey: 'key', baseUrl, cache }),
    tellsWords: true,
  },
  Deepgram: {
    start: (options) => FakeDeepgramSpeak.start(options),
    make: (baseUrl, cache = false) => new DeepgramTTS({ apiKey: 'key', baseUrl, cache }),
    tellsWords: false,
  },
};

interface Given {
  readonly first?: FakeVoiceOptions;
  readonly second?: FakeVoiceOptions;
  readonly names?: readonly [string, string];
  readonly sampleRate?: number;
  readonly cache?: PhraseCache | false;
  /** What becomes of the first before it is asked. */
  readonly before?: (first: FakeVoiceServer) => void | Promise<void>;
}

/** Two voices that say each word as a tone of its own. */
async function two({ first, second, names = ['Cartesia', 'ElevenLabs'], sampleRate, cache, before }: Given) {
  const audio = toneWords([TEXT, NEXT]);
  const [one, other] = names.map((name) => VOICES[name]) as [(typeof VOICES)[string], (typeof VOICES)[string]];
  const [a, b] = [await one.start({ audio, ...first }), await other.start({ audio, ...second })];
  const notes: BotEntry[] = [];
  const note = (entry: BotEntry) => void notes.push(entry);
  const tts = new TtsInTurn([one.make(a.url, cache), other.make(b.url, cache)]);
  await before?.(a);
  const speaking = new Speaking(tts, sampleRate, { note, during: (_, work) => work() });
  return {
    first: a,
    second: b,
    speaking,
    get switches() {
      return notes.filter((entry) => entry.type === 'service_switched');
    },
    heard: (...texts: string[]) => heardWords(speaking.audio, speaking.sampleRate, texts),
    asked: (fake: FakeVoiceServer) => fake.requests.map(({ text }) => text.trim()),
    /** The first takes connections again, and the probe has succeeded. */
    async recovered() {
      a.recover();
      await until(() => a.open > 0, 'the connection').catch(() => {}); // it has given up, and connects when it is asked
      for (const state of sharedHealth.failing) sharedHealth.works(state);
    },
    async [Symbol.asyncDispose]() {
      speaking[Symbol.dispose]();
      await Promise.all([a.close(), b.close()]);
      for (const state of sharedHealth.failing) sharedHealth.works(state);
    },
  };
}

test('a voice that works is asked alone', async () => {
  await using it = await two({});
  await it.speaking.speak(TEXT);
  expect(it.heard(TEXT)).toEqual(wordsOnce(TEXT));
  expect([it.asked(it.second), it.second.connections, it.switches]).toEqual([[], [], []]);
});

const BROKEN: ReadonlyArray<[string, Given]> = [
  ['is gone', { before: (first) => first.close() }],
  ['refuses connections with 503', { before: (first) => first.refuse(503, 'Overloaded') }],
  ['refuses connections with 429', { before: (first) => first.refuse(429, 'Slow down') }],
  ['refuses the key', { before: (first) => first.refuse(401, 'Invalid API key.') }],
  ['takes connections and says nothing', { before: (first) => first.fallSilent() }],
  ['answers a text with an error', { first: { reply: () => ({ error: 'Oops', status: 503 }) } }],
  ['breaks before there is sound', { first: { reply: () => ({ dropAfterMs: 0 }) } }],
];

describe.each(BROKEN)('where the first voice %s', (_, given) => {
  test('the next says the text, once, and the switch is told', async () => {
    await using it = await two(given);
    await it.speaking.speak(TEXT);
    expect(it.heard(TEXT)).toEqual(wordsOnce(TEXT));
    expect(it.switches).toMatchObject([
      { does: 'text_to_speech', from: { provider: 'Cartesia' }, to: { provider: 'ElevenLabs' } },
    ]);
    expect(it.speaking.errors.filter(({ isFinal }) => isFinal)).toEqual([]);
  });

  test('the texts that follow are asked of the next at once', async () => {
    await using it = await two(given);
    await it.speaking.speak(TEXT);
    const asked = it.first.requests.length;
    await it.speaking.speak(NEXT);
    expect(it.heard(TEXT, NEXT)).toEqual([...wordsOnce(TEXT), ...wordsOnce(NEXT)]);
    expect(it.first.requests).toHaveLength(asked);
  });
});

describe('a voice whose port refuses the connection', () => {
  const refused = { to: { provider: 'ElevenLabs' }, why: expect.stringContaining('ECONNREFUSED') };

  test('is followed at once', async () => {
    await using it = await two({ before: (first) => first.close() });
    await it.speaking.speak(TEXT);
    expect(it.switches).toMatchObject([refused]);
  });

  test('is not asked where that is known before there is something to say', async () => {
    await using it = await two({ before: (first) => first.close() });
    await until(() => it.second.open > 0, 'the connection of the next');
    await it.speaking.speak(TEXT);
    expect(it.heard(TEXT)).toEqual(wordsOnce(TEXT));
    expect(it.switches).toMatchObject([{ ...refused, ms: 0 }]);
  });

  test('is left behind while an answer has no text yet', async () => {
    await using it = await two({});
    await until(() => it.first.open > 0, 'the connection');
    const response = answerOf();
    it.speaking.queue(new LLMResponseStartFrame(response));
    await it.first.close();
    await until(() => it.second.open > 0, 'the connection of the next');
    it.speaking.queue(new LLMTextFrame(response, TEXT), new LLMResponseEndFrame(response));
    await it.speaking.said();
    expect(it.heard(TEXT)).toEqual(wordsOnce(TEXT));
    expect(it.switches).toMatchObject([{ ...refused, ms: 0 }]);
  });
});

const PAIRS: ReadonlyArray<readonly [string, string]> = [
  ['Cartesia', 'ElevenLabs'],
  ['ElevenLabs', 'Cartesia'],
  ['Cartesia', 'Deepgram'],
];

describe.each(PAIRS)('from %s to %s', (...names) => {
  test.each([250, 700, 1_240, 2_010, 3_300])('speech that breaks after %d ms goes on at the cut word', async (ms) => {
    const first: FakeVoiceOptions = { reply: () => ({ dropAfterMs: ms }), chunkBytes: 160 };
    await using it = await two({ names, first });
    void until(() => it.speaking.audioMs > ms - 30, 'the sound').then(() => it.first.refuse(503, 'gone'));
    await it.speaking.speak(TEXT);
    expect(it.heard(TEXT)).toEqual(wordsOnce(TEXT));
    expect(it.speaking.words.map(({ text }) => text)).toEqual(TEXT.split(' '));
    expect(TEXT.endsWith(it.asked(it.second)[0] ?? '?')).toBe(true);
    expect(it.speaking.texts.join('')).toBe(TEXT);
  });

  test('speech that stops coming goes on at the cut word', async () => {
    let isSilent = false;
    const first: FakeVoiceOptions = { chunkBytes: 160, betweenChunksMs: 5 };
    await using it = await two({ names, first });
    void until(() => it.speaking.audioMs > 400, 'sound').then(() => {
      isSilent = true;
      // what a hung vendor does: the connection stays, and nothing comes
      for (const socket of (it.first as unknown as { connected: Set<{ pause(): void; cork(): void }> }).connected)
        socket.cork();
    });
    await it.speaking.speak(TEXT);
    expect(isSilent).toBe(true);
    expect(it.heard(TEXT)).toEqual(wordsOnce(TEXT));
    expect(it.switches).toMatchObject([{ why: expect.stringMatching(/no audio for \d+ ms/) }]);
  });
});

/** The connection breaks in mid-word, and there is no other. */
function breakFor(voice: { refuse(status: number, message: string): void }) {
  voice.refuse(503, 'gone');
  return { dropAfterMs: 700 };
}

test('voices of different rates are brought to one', async () => {
  const first: FakeVoiceOptions = { reply: () => breakFor(it.first), audio: toneWords([TEXT, NEXT]) };
  await using it = await two({ first, sampleRate: 48_000, names: ['Cartesia', 'ElevenLabs'] });
  await it.speaking.speak(TEXT);
  const query = it.second.connections[0]?.query.get('output_format');
  expect(query).toBe('pcm_24000');
  const resampler = new Resampler(48_000, 8_000);
  const audio = Int16Array.from([...resampler.process(it.speaking.audio), ...resampler.flush()]);
  expect(heardWords(audio, 8_000, [TEXT])).toEqual(wordsOnce(TEXT));
});

test('a voice that works again is asked first again, and that is told', async () => {
  await using it = await two({ before: (first) => first.refuse(503, 'Overloaded') });
  await it.speaking.speak(TEXT);
  await it.recovered();
  await it.speaking.speak(NEXT);
  expect(it.asked(it.first)).toEqual([NEXT]);
  expect(it.switches).toMatchObject([
    { to: { provider: 'ElevenLabs' } },
    { to: { provider: 'Cartesia' }, why: 'Cartesia: works again' },
  ]);
});

test('phrases are kept for the voice that has said them, and those of two voices for none', async () => {
  const cache = new PhraseCache();
  const first: FakeVoiceOptions = { reply: (_, count) => (count === 0 ? breakFor(it.first) : 'speak') };
  await using it = await two({ cache, first });
  await it.speaking.speak(TEXT);
  expect(cache.size).toBe(0);
  await it.speaking.speak(NEXT);
  expect(cache.size).toBe(1);
  await it.speaking.speak(NEXT);
  expect(it.asked(it.second)).toEqual([expect.stringContaining('corner.'), NEXT]);
  await it.recovered();
  await it.speaking.speak(NEXT);
  expect(it.asked(it.first).at(-1)).toBe(NEXT);
  expect(cache.size).toBe(2);
});

test('a phrase that was made beforehand by another voice is not kept as one of the first', async () => {
  const cache = new PhraseCache();
  await using it = await two({ cache, before: (first) => first.refuse(503, 'Overloaded') });
  await (it.speaking.tts as TtsService).preload([TEXT]);
  expect(cache.size).toBe(1);
  await it.speaking.speak(TEXT);
  const asked = it.asked(it.second).length;
  await it.recovered();
  await it.speaking.speak(TEXT);
  expect([it.asked(it.first), it.asked(it.second).length]).toEqual([[TEXT], asked]);
});

test('when no voice works, that is said once, as the last word', async () => {
  await using it = await two({ before: (first) => first.refuse(401, 'Invalid API key.') });
  it.second.refuse(404, 'no such voice');
  await it.speaking.speak(TEXT);
  expect(it.speaking.errors.filter(({ isFinal }) => isFinal)).toHaveLength(1);
  expect(it.speaking.order.slice(-2)).toEqual(['Line', 'End']); // it apologises
});

test('voices that all refuse the key are asked once before there is something to say, and once then', async () => {
  await using it = await two({ before: (first) => first.refuse(401, 'Invalid API key.') });
  it.second.refuse(401, 'Invalid API key.');
  await until(() => sharedHealth.failing.length === 2, 'the refusals');
  await it.speaking.speak(TEXT);
  expect([it.first, it.second].map(({ connections }) => connections.length)).toEqual([2, 2]);
});

test('an interruption stops the voice that goes on, and nothing of it follows', async () => {
  await using it = await two({ before: (first) => first.refuse(503, 'gone'), second: { betweenChunksMs: 20 } });
  void it.speaking.speak(TEXT);
  await until(() => it.speaking.audioMs > 200, 'sound');
  it.speaking.interrupt();
  const { audioMs } = it.speaking;
  await it.speaking.said();
  await until(() => it.second.cancels.length > 0, 'the cancellation');
  expect(it.speaking.audioMs).toBe(audioMs);
});
