import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TTSTextFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { CartesiaTTS, type CartesiaTTSOptions } from '../../../../src/bot/services/tts/cartesia-tts.js';
import type { Phrase } from '../../../../src/bot/services/tts/phrase.js';
import { PhraseCache } from '../../../../src/bot/services/tts/phrase-cache.js';
import { FakeCartesia } from '../../../../src/lab/kit/fake-cartesia.js';
import { buzz } from '../../../../src/lab/kit/fake-speech.js';
import { Speaking, until } from './speaking.js';

const GREETING = 'Hello, this is the bakery. How can I help?';
const voice = (fake: FakeCartesia, cache: PhraseCache | false, options: CartesiaTTSOptions = {}) =>
  new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache, ...options });

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'phrases-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('phrases', () => {
  test('a text that was said to its end is said again from memory, byte for byte, in the same order', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start({ audio: (text) => buzz(text.length * 61.3, 8_000), chunkBytes: 777 });
    using first = new Speaking(voice(fake, cache));
    await first.speak(GREETING);
    using second = new Speaking(voice(fake, cache));
    await second.speak(GREETING);
    expect(fake.requests).toHaveLength(2); // its two sentences, once
    expect(second.audio).toEqual(first.audio);
    expect(second.order).toEqual(first.order);
    expect(second.words).toEqual(first.words);
    expect(second.words).toHaveLength(9);
  });

  test('a preloaded greeting starts in the same turn of the event loop, before there is a connection', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start();
    await voice(fake, cache).preload([GREETING]);
    await until(() => fake.open === 0, 'the end of the connection');
    using speaking = new Speaking(voice(fake, cache));
    void speaking.speak(GREETING);
    expect(speaking.audioMs).toBeCloseTo((GREETING.length - 1) * 60, -2);
    expect(speaking.stops).toBe(1);
  });

  test('preloading asks once for each text, and not again', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start();
    await voice(fake, cache).preload(['One.', 'Two.']);
    await voice(fake, cache).preload(['Two.', 'One.', ' One. ']);
    expect(fake.requests.map(({ text }) => text)).toEqual(['One.', 'Two.']);
  });

  test('an answer that begins with a phrase says it from memory and asks for the rest', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start();
    await voice(fake, cache).preload(['One moment, please.']);
    using speaking = new Speaking(voice(fake, cache));
    const { turn } = speaking.answer('One moment, please. ', 'I will look.');
    await speaking.said();
    expect(fake.requests.map(({ text }) => text)).toEqual(['One moment, please.', 'I will look.']);
    expect(speaking.texts).toEqual(['One moment, please. ', 'I will look.']);
    expect(speaking.audioMs).toBeCloseTo('One moment, please.I will look.'.length * 60, 0);
    expect(speaking.stops).toBe(1);
    const startMs = speaking.words.find(({ text }) => text === 'I')?.startMs;
    expect(startMs).toBeCloseTo('One moment, please.'.length * 60, 0);
    expect(turn.times.firstAudio).toBeDefined();
  });

  test('another voice, speed or rate is another phrase', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start();
    for (const options of [{}, { voice: 'another' }, { speed: 1.2 }, { model: 'sonic-3' }]) {
      using speaking = new Speaking(voice(fake, cache, options));
      await speaking.speak('Hello.');
    }
    using wide = new Speaking(voice(fake, cache), 16_000);
    await wide.speak('Hello.');
    expect(fake.requests).toHaveLength(5);
    expect(cache.size).toBe(5);
  });

  test('what was interrupted, and what failed, is not kept', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start({
      betweenChunksMs: 5,
      reply: (text) => (text === 'Fails.' ? 'hang' : 'speak'),
    });
    using speaking = new Speaking(voice(fake, cache, { patienceMs: 500 }));
    void speaking.speak('A sentence that takes a while.');
    await until(() => speaking.audioMs > 0, 'audio');
    speaking.interrupt();
    await speaking.speak('Fails.');
    expect(cache.size).toBe(0);
  });

  test('a text of which a part was heard twice, because the connection broke, is not kept', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start({
      reply: (_, count) => (count === 1 ? { dropAfterMs: 700 } : 'speak'),
    });
    using broken = new Speaking(voice(fake, cache));
    await broken.speak(GREETING);
    using whole = new Speaking(voice(fake, cache));
    await whole.speak(GREETING);
    expect(broken.audioMs).toBeGreaterThan(whole.audioMs);
    expect(whole.audioMs).toBeCloseTo((GREETING.length - 1) * 60, -2);
    using cached = new Speaking(voice(fake, cache));
    await cached.speak(GREETING);
    expect(cached.audio).toEqual(whole.audio);
    expect(fake.requests).toHaveLength(5);
  });

  test('preloading tries once more when the connection breaks in the middle of a text', async () => {
    const cache = new PhraseCache();
    await using fake = await FakeCartesia.start({
      reply: (_, count) => (count === 0 ? { dropAfterMs: 300 } : 'speak'),
    });
    await voice(fake, cache).preload(['Good morning.']);
    expect(fake.requests).toHaveLength(3); // broken, asked for again, and once more from the start
    using speaking = new Speaking(voice(fake, cache));
    await speaking.speak('Good morning.');
    expect(speaking.audioMs).toBeCloseTo(780, -2);
    expect(fake.requests).toHaveLength(3);
  });

  test('a voice without a cache keeps nothing', async () => {
    await using fake = await FakeCartesia.start();
    using speaking = new Speaking(voice(fake, false));
    await speaking.speak('Hello.');
    await speaking.speak('Hello.');
    await voice(fake, false).preload(['Hello.']);
    expect(fake.requests).toHaveLength(2);
  });

  test('voices that are given no cache share one in the process', async () => {
    await using fake = await FakeCartesia.start();
    const options = { apiKey: 'key', baseUrl: fake.url };
    await new CartesiaTTS(options).preload(['Only said here.']);
    using speaking = new Speaking(new CartesiaTTS(options));
    await speaking.speak('Only said here.');
    expect(fake.requests).toHaveLength(1);
  });

  test('preloading rejects with the error of the provider', async () => {
    await using fake = await FakeCartesia.start({ apiKey: 'right' });
    await expect(voice(fake, new PhraseCache()).preload(['Hello.'])).rejects.toMatchObject({
      code: 'VB_CREDENTIALS_REFUSED',
    });
  });

  test('preloaded phrases are kept in the directory for the next process, others are not', async () => {
    await using fake = await FakeCartesia.start();
    const first = new PhraseCache({ directory });
    await voice(fake, first).preload([GREETING]);
    using speaking = new Speaking(voice(fake, first));
    await speaking.speak('Hello Mister Miller.');
    const files = await readdir(directory);
    expect(files).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.phrase$/)]);

    const next = new PhraseCache({ directory });
    await voice(fake, next).preload([GREETING]);
    using again = new Speaking(voice(fake, next));
    await again.speak(GREETING);
    await speaking.speak(GREETING);
    expect(fake.requests).toHaveLength(3);
    expect(again.audio).toEqual(speaking.audio.slice(-again.audio.length));
    expect(again.texts).toEqual(
      speaking.after
        .of(TTSTextFrame)
        .slice(-2)
        .map(({ text }) => text),
    );
  });

  test.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
    ['of half a sample', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    ['changed', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) as number) ^ 1])])],
    ['of something else', () => Buffer.from('hello')],
    ['empty', () => Buffer.alloc(0)],
  ])('a file that is %s counts as missing, and is written again', async (_name, damage) => {
    await using fake = await FakeCartesia.start();
    await voice(fake, new PhraseCache({ directory })).preload(['Hello.']);
    const [file = ''] = await readdir(directory);
    const whole = await readFile(join(directory, file));
    await writeFile(join(directory, file), damage(whole));
    await voice(fake, new PhraseCache({ directory })).preload(['Hello.']);
    expect(fake.requests).toHaveLength(2);
    expect(await readFile(join(directory, file))).toEqual(whole);
  });

  test('a directory that cannot be written is told', async () => {
    await using fake = await FakeCartesia.start();
    await writeFile(join(directory, 'file'), '');
    const cache = new PhraseCache({ directory: join(directory, 'file') });
    await expect(voice(fake, cache).preload(['Hello.'])).rejects.toMatchObject({ code: 'VB_CONFIG_INVALID' });
  });

  const phrase = (samples: number): Phrase => ({
    sampleRate: 8_000,
    pcm: new Int16Array(samples),
    texts: [{ text: 'x', start: 0 }],
    words: [],
  });

  test('the phrase said longest ago makes room, and those that were preloaded go last', async () => {
    const cache = new PhraseCache({ maxPhrases: 3 });
    await cache.store('greeting', phrase(1));
    for (const key of ['a', 'b']) cache.set(key, phrase(1));
    cache.get('a');
    cache.set('c', phrase(1));
    expect(['greeting', 'a', 'b', 'c'].map((key) => cache.get(key) !== undefined)).toEqual([true, true, false, true]);
  });

  test('keeps no more audio than it may', () => {
    const cache = new PhraseCache({ maxBytes: 100 });
    for (const key of ['a', 'b', 'c']) cache.set(key, phrase(20));
    expect(cache.size).toBe(2);
    cache.set('huge', phrase(51));
    expect(cache.get('huge')).toBeUndefined();
    expect(cache.size).toBe(2);
  });

  test('refuses limits that are none', () => {
    expect(() => new PhraseCache({ maxPhrases: 0, maxBytes: -1 })).toThrow(/maxPhrases.*maxBytes/);
  });
});
