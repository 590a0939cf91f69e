import fc from 'fast-check';
import { LLMResponseEndFrame, LLMResponseStartFrame, LLMTextFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { CartesiaCodec, CartesiaTTS, cartesiaDialect } from '../../../../src/bot/services/tts/cartesia-tts.js';
import { DeepgramSpeakCodec, DeepgramTTS, deepgramDialect } from '../../../../src/bot/services/tts/deepgram-tts.js';
import { ElevenLabsCodec, ElevenLabsTTS, elevenLabsDialect } from '../../../../src/bot/services/tts/elevenlabs-tts.js';
import type { TtsCodec } from '../../../../src/bot/services/tts/tts-dialect.js';
import { VENDORS, type VendorAccount } from '../../../../src/bot/services/vendor.js';
import { FakeCartesia } from '../../../../src/lab/kit/fake-cartesia.js';
import { FakeDeepgram } from '../../../../src/lab/kit/fake-deepgram.js';
import { FakeDeepgramSpeak } from '../../../../src/lab/kit/fake-deepgram-speak.js';
import { FakeElevenLabs } from '../../../../src/lab/kit/fake-elevenlabs.js';
import { answerOf, Speaking, until } from './speaking.js';

const account = (provider: (typeof VENDORS)[keyof typeof VENDORS]): VendorAccount => ({
  provider,
  apiKey: 'key',
  baseUrl: 'http://127.0.0.1:1',
});
const TELEPHONE = { encoding: 'PCMU', sampleRate: 8_000 } as const;
const message = (fields: object) => Buffer.from(JSON.stringify(fields));

const CODECS: Record<string, () => TtsCodec> = {
  Cartesia: () => new CartesiaCodec({ voice: 'v', model: 'm', language: 'en' }, TELEPHONE),
  ElevenLabs: () => new ElevenLabsCodec({ voice: 'v', model: 'm' }, TELEPHONE),
  Deepgram: () => new DeepgramSpeakCodec(),
};

describe.each(Object.entries(CODECS))('the codec of %s', (name, codec) => {
  test('takes any message without throwing, and makes no speech of junk', () => {
    const known = fc.constantFrom(
      'type',
      'data',
      'audio',
      'alignment',
      'chars',
      'charStartTimesMs',
      'charDurationsMs',
      'contextId',
      'context_id',
      'error',
      'isFinal',
      'word_timestamps',
      'words',
      'start',
      'end',
      'status_code',
      'message',
      'chunk',
      'done',
      'timestamps',
      'flush_done',
      'Flushed',
      'Cleared',
      'Error',
      'description',
      'err_msg',
      'toString',
      'valueOf',
    );
    const fields = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        known,
        fc.jsonValue(),
        fc.dictionary(known, tie('value')),
        fc.array(tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fields.map((value) => JSON.stringify(value) ?? ''),
            fc.string(),
          ),
        ),
        (messages) => {
          const it = codec();
          it.say('s1', 'Hello.');
          for (const text of messages) {
            for (const event of it.parse(Buffer.from(text), false)) {
              if (event.type === 'words')
                expect(event.words.every(({ startMs }) => Number.isFinite(startMs))).toBe(true);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('asks with JSON', () => {
    const it = codec();
    const all = [
      ...it.say('s1', 'A "quoted"\ntext. '),
      ...it.say('s1', 'More.'),
      ...it.end('s1'),
      ...it.cancel('s1'),
      ...it.bye(),
    ];
    for (const text of all) expect(typeof JSON.parse(text)).toBe('object');
    expect(all.join('')).toContain('A \\"quoted\\"\\ntext.');
    expect(name).toBeTruthy();
  });
});

describe('what the providers are asked', () => {
  test('Cartesia: a context with all settings, spoken at once, ended by an empty text', () => {
    const it = new CartesiaCodec({ voice: 'v', model: 'sonic-3.5', language: 'de', speed: 1.1 }, TELEPHONE);
    const [said = ''] = it.say('s1', 'Hallo. ');
    expect(JSON.parse(said)).toEqual({
      model_id: 'sonic-3.5',
      transcript: 'Hallo. ',
      voice: { mode: 'id', id: 'v' },
      language: 'de',
      context_id: 's1',
      output_format: { container: 'raw', encoding: 'pcm_mulaw', sample_rate: 8_000 },
      add_timestamps: true,
      use_normalized_timestamps: false,
      max_buffer_delay_ms: 0,
      generation_config: { speed: 1.1 },
      continue: true,
    });
    expect(JSON.parse(it.end('s1')[0] ?? '')).toMatchObject({ transcript: '', continue: false, context_id: 's1' });
    expect(it.cancel('s1')).toEqual(['{"context_id":"s1","cancel":true}']);
    const dialect = cartesiaDialect(account(VENDORS.cartesia), { voice: 'v', model: 'm', language: 'en' }, 16_000);
    expect(dialect).toMatchObject({
      path: '/tts/websocket?cartesia_version=2026-03-01',
      headers: { 'X-API-Key': 'key' },
      format: { encoding: 'L16', sampleRate: 16_000 },
    });
  });

  test('ElevenLabs: settings first, each text flushed and ended by a space, the context closed', () => {
    const it = new ElevenLabsCodec({ voice: 'v', model: 'm', stability: 0.5, similarityBoost: 0.8 }, TELEPHONE);
    expect(it.say('s1', 'Hello.').map((text) => JSON.parse(text))).toEqual([
      { text: ' ', context_id: 's1', voice_settings: { stability: 0.5, similarity_boost: 0.8 } },
      { text: 'Hello. ', context_id: 's1', flush: true },
    ]);
    expect(it.say('s1', 'More. ')).toHaveLength(1);
    expect(it.end('s1')).toEqual(['{"context_id":"s1","close_context":true}']);
    const paths = [8_000, 16_000, 48_000].map(
      (rate) => elevenLabsDialect(account(VENDORS.elevenlabs), { voice: 'a/b', model: 'm' }, rate).path,
    );
    expect(paths[0]).toMatch(/^\/v1\/text-to-speech\/a%2Fb\/multi-stream-input\?model_id=m&output_format=ulaw_8000&/);
    expect(paths[1]).toContain('output_format=pcm_16000');
    expect(paths[2]).toContain('output_format=pcm_24000');
  });

  test('Deepgram: a flush behind each sentence, mu-law for the telephone', () => {
    const it = new DeepgramSpeakCodec();
    expect(it.say('s1', 'Hello. ')).toEqual(['{"type":"Speak","text":"Hello. "}', '{"type":"Flush"}']);
    expect(it.end()).toEqual([]);
    expect(deepgramDialect(account(VENDORS.deepgram), 'aura-2-thalia-en', 8_000)).toMatchObject({
      path: '/v1/speak?model=aura-2-thalia-en&encoding=mulaw&sample_rate=8000&container=none',
      headers: { Authorization: 'Token key' },
    });
  });

  test('Deepgram: many sentences share flushes, which are limited, and all are said', async () => {
    const it = new DeepgramSpeakCodec(() => 0);
    const sentences = Array.from({ length: 30 }, (_, index) => it.say('s1', `Sentence ${index}. `));
    expect(sentences.filter((messages) => messages.length === 2)).toHaveLength(14);
    expect(it.end()).toEqual(['{"type":"Flush"}']);
    const flushed = message({ type: 'Flushed', sequence_id: 1 });
    const said = Array.from({ length: 15 }, () => it.parse(flushed, false)).flat();
    expect(said.at(-1)).toEqual({ type: 'said', texts: 16 });

    await using fake = await FakeDeepgramSpeak.start({ characterMs: 10 });
    using speaking = new Speaking(new DeepgramTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
    const texts = Array.from({ length: 25 }, (_, index) => `Sentence number ${index + 10}. `);
    speaking.answer(...texts);
    await speaking.said();
    expect(speaking.texts).toEqual(texts);
    expect(speaking.audioMs).toBeCloseTo(texts.join('').length * 10 - 25 * 10, 0);
    expect(speaking.errors).toEqual([]);
  });

  test('Deepgram: the words of an error are told, and what is no text is not', () => {
    const codec = new DeepgramSpeakCodec();
    const error = (fields: object) => codec.parse(message({ type: 'Error', ...fields }), false);
    expect(error({ description: 'too fast', err_msg: 'slow down' })).toEqual([{ type: 'error', message: 'too fast' }]);
    expect(error({ description: { toString: 1, valueOf: 1 }, err_msg: 'slow down' })).toEqual([
      { type: 'error', message: 'slow down' },
    ]);
    expect(error({ description: 7 })).toEqual([{ type: 'error', message: 'an error without words' }]);
  });

  test('Deepgram: audio that was on its way when it was cleared is dropped', () => {
    const it = new DeepgramSpeakCodec();
    it.say('s1', 'Old. ');
    const audio = Buffer.from([1, 2]);
    expect(it.parse(audio, true)).toHaveLength(1);
    it.cancel();
    it.say('s2', 'New. ');
    expect(it.parse(audio, true)).toEqual([]);
    expect(it.parse(message({ type: 'Flushed' }), false)).toEqual([]);
    it.parse(message({ type: 'Cleared' }), false);
    expect(it.parse(audio, true)).toHaveLength(1);
    expect(it.parse(message({ type: 'Flushed' }), false)).toEqual([{ type: 'said', texts: 1 }]);
  });

  test('ElevenLabs: a word that two messages share is one word', () => {
    const it = new ElevenLabsCodec({ voice: 'v', model: 'm' }, TELEPHONE);
    it.say('s1', 'Hello you.');
    const part = (chars: string, bytes: number) =>
      it.parse(
        message({
          contextId: 's1',
          audio: Buffer.alloc(bytes).toString('base64'),
          alignment: {
            chars: [...chars],
            charStartTimesMs: [...chars].map((_, index) => index * 10),
            charDurationsMs: [...chars].map(() => 10),
          },
        }),
      );
    const words = [...part(' Hel', 320), ...part('lo y', 320), ...part('ou.', 240)].flatMap((event) =>
      event.type === 'words' ? event.words : [],
    );
    expect(words).toEqual([
      { text: 'Hello', startMs: 10, endMs: 60 },
      { text: 'you.', startMs: 70, endMs: 110 },
    ]);
  });
});

describe('troubles of their own', () => {
  test('Cartesia: an answer that pauses longer than a context lasts goes on in another', async () => {
    await using fake = await FakeCartesia.start({ contextIdleMs: 30 });
    using speaking = new Speaking(new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
    const response = answerOf();
    speaking.queue(new LLMResponseStartFrame(response), new LLMTextFrame(response, 'Before. '));
    await until(() => speaking.audioMs > 0 && fake.ended.length === 1, 'the context ends behind its audio');
    await new Promise((resolve) => setTimeout(resolve, 2)); // on its way to the client
    speaking.queue(new LLMTextFrame(response, 'After.'), new LLMResponseEndFrame(response));
    await speaking.said();
    expect(speaking.texts).toEqual(['Before. ', 'After.']);
    expect(new Set(fake.requests.map(({ stream }) => stream)).size).toBe(2);
    expect(speaking.words.map(({ startMs }) => Math.round(startMs))).toEqual([0, 420]);
    expect(speaking.stops).toBe(1);
    expect(speaking.errors).toEqual([]);
  });

  test('Cartesia: a context does not end while a text that has waited for another is spoken', async () => {
    await using fake = await FakeCartesia.start({ contextIdleMs: 20, firstByteMs: 1, betweenChunksMs: 5 });
    using speaking = new Speaking(new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
    speaking.answer('The first text. ', 'The second takes longer than a context lasts.');
    await speaking.said();
    expect(fake.requests.map(({ text }) => text.trim())).toHaveLength(2);
    expect(speaking.audioMs).toBeCloseTo(60 * (15 + 45), 0);
  });

  test('Cartesia: a server error is mended by asking again', async () => {
    await using fake = await FakeCartesia.start({
      reply: (_text, count) => (count === 0 ? { error: 'overloaded', status: 503 } : 'speak'),
    });
    using speaking = new Speaking(new CartesiaTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
    await speaking.speak('Hello.');
    expect(speaking.errors.map(({ isFinal, status }) => [isFinal, status])).toEqual([[false, 503]]);
    expect(speaking.audioMs).toBeCloseTo(360, 0);
  });

  test('ElevenLabs: a key that is refused after the handshake is a key that is refused', async () => {
    await using fake = await FakeElevenLabs.start({ reply: () => ({ error: 'Invalid API key' }) });
    using speaking = new Speaking(new ElevenLabsTTS({ apiKey: 'key', baseUrl: fake.url, cache: false }));
    await speaking.speak('Hello.');
    expect(speaking.errors).toEqual([expect.objectContaining({ code: 'VB_CREDENTIALS_REFUSED', isFinal: true })]);
  });

  test('Deepgram: transcription and speech share an address', async () => {
    await using speak = await FakeDeepgramSpeak.start();
    await using deepgram = await FakeDeepgram.start({ speak: speak.handler });
    using speaking = new Speaking(new DeepgramTTS({ apiKey: 'key', baseUrl: deepgram.url, cache: false }));
    await speaking.speak('Hello.');
    expect(speaking.audioMs).toBeCloseTo(360, 0);
    expect(speak.requests).toHaveLength(1);
  });

  test.each([
    ['speed', () => new CartesiaTTS({ apiKey: 'key', speed: 3, volume: 0 }), /speed.*volume/],
    ['stability', () => new ElevenLabsTTS({ apiKey: 'key', stability: 2, speed: 2 }), /stability.*speed/],
  ])('refuses a %s that is out of range, with all the others', (_name, make, words) => {
    expect(make).toThrow(expect.objectContaining({ code: 'VB_CONFIG_INVALID', message: expect.stringMatching(words) }));
  });

  test.each([
    ['CARTESIA_API_KEY', () => new CartesiaTTS()],
    ['ELEVENLABS_API_KEY', () => new ElevenLabsTTS()],
    ['DEEPGRAM_API_KEY', () => new DeepgramTTS()],
  ])('says that %s is missing', (variable, make) => {
    const kept = process.env[variable];
    delete process.env[variable];
    try {
      expect(make).toThrow(
        expect.objectContaining({ code: 'VB_CREDENTIALS_MISSING', message: expect.stringContaining(variable) }),
      );
    } finally {
      if (kept !== undefined) process.env[variable] = kept;
    }
  });
});
