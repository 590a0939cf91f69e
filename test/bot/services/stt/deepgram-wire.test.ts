import fc from 'fast-check';
import { decodeMulaw, encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { DeepgramDialect, DeepgramSTT } from '../../../../src/bot/services/stt/deepgram-stt.js';
import { KEY, startStt } from './start-stt.js';

const apiKey = KEY;
const results = (fields: object = {}) => ({
  type: 'Results',
  start: 1.5,
  duration: 2.25,
  is_final: true,
  speech_final: true,
  channel: { alternatives: [{ transcript: ' Hello there. ', confidence: 0.9, words: [] }] },
  ...fields,
});

test('8000 Hz travel as the mu-law bytes that the carrier sent', async () => {
  await using call = await startStt();
  const wire = Uint8Array.from({ length: 160 * 8 }, (_, index) => index % 256);
  call.hear(decodeMulaw(wire));
  const session = await call.connecting;
  await session.heard(160);
  // There are two zeros in mu-law; the negative one comes back as the positive one.
  expect([...session.audio]).toEqual([...wire].map((code) => (code === 0x7f ? 0xff : code)));
  expect(Object.fromEntries(session.query)).toMatchObject({ encoding: 'mulaw', sample_rate: '8000', channels: '1' });
});

test.each([16_000, 24_000, 48_000])('%i Hz travel as linear samples, low byte first', async (sampleRate) => {
  await using call = await startStt({ sampleRate });
  const pcm = Int16Array.from({ length: sampleRate / 50 }, (_, index) => index * 61 - 5_000);
  call.hear(pcm);
  const session = await call.connecting;
  await session.heard(20);
  expect(session.audio).toHaveLength(pcm.length * 2);
  expect(pcm.map((_, index) => session.audio.readInt16LE(index * 2))).toEqual(pcm);
  expect(Object.fromEntries(session.query)).toMatchObject({ encoding: 'linear16', sample_rate: String(sampleRate) });
});

test('the request says what was asked for, and the key stands in a header alone', async () => {
  await using call = await startStt({
    deepgram: { apiKey },
    stt: {
      model: 'nova-2-phonecall',
      language: 'de',
      endpointingMs: false,
      interim: false,
      keyterms: ['Müller & Söhne', 'Zugspitze'],
      query: { smart_format: true, tag: ['a', 'b'] },
    },
  });
  const { query } = await call.connecting;
  expect(query.getAll('keyterm')).toEqual(['Müller & Söhne', 'Zugspitze']);
  expect(query.getAll('tag')).toEqual(['a', 'b']);
  expect(Object.fromEntries(query)).toMatchObject({
    model: 'nova-2-phonecall',
    language: 'de',
    endpointing: 'false',
    interim_results: 'false',
    punctuate: 'true',
    smart_format: 'true',
  });
  expect(query.toString()).not.toContain(apiKey);
});

test('nothing is asked for by default but English, interim results and punctuation', () => {
  const dialect = new DeepgramDialect({ apiKey });
  const { path } = dialect.request(dialect.format(8_000));
  expect(Object.fromEntries(new URL(path, 'http://x').searchParams)).toEqual({
    model: 'nova-3',
    language: 'en',
    endpointing: '300',
    interim_results: 'true',
    punctuate: 'true',
    encoding: 'mulaw',
    sample_rate: '8000',
    channels: '1',
  });
});

test('every option that is wrong is named', () => {
  expect(
    () =>
      new DeepgramSTT({ apiKey, model: ' ', endpointingMs: 5, keyterms: ['good', ''], query: { encoding: 'opus' } }),
  ).toThrow(/model must not be empty.*keyterms\[1\] must not be empty.*endpointingMs.*query\.encoding cannot be set/);
  expect(() => new DeepgramSTT({ apiKey, giveUpAfterMs: 10 })).toThrow(/giveUpAfterMs must be 1000 to 10000, got 10/);
  expect(() => new DeepgramSTT({ apiKey, endpointingMs: Number.NaN })).toThrow(/endpointingMs/);
  expect(() => new DeepgramSTT({ apiKey, answersWithinMs: 0 })).toThrow(/answersWithinMs must be 1000 to 30000/);
});

test('silence of the provider means something only while it tells interim results', () => {
  expect(new DeepgramDialect({ apiKey }).answersWithinMs).toBe(3_000);
  expect(new DeepgramDialect({ apiKey, interim: false }).answersWithinMs).toBeUndefined();
  expect(new DeepgramDialect({ apiKey, answersWithinMs: false }).answersWithinMs).toBeUndefined();
});

test('the provider hears something in time before it would close', () => {
  expect(new DeepgramDialect({ apiKey }).keepAlive.afterMs).toBeLessThan(10_000 / 2);
});

test('without a key it says which one is missing', () => {
  const before = process.env.DEEPGRAM_API_KEY;
  delete process.env.DEEPGRAM_API_KEY;
  try {
    expect(() => new DeepgramSTT()).toThrow(/DEEPGRAM_API_KEY is not set/);
  } finally {
    if (before !== undefined) process.env.DEEPGRAM_API_KEY = before;
  }
});

test.each([
  ['a final result', results(), { type: 'final', text: 'Hello there.', endsUtterance: true, untilMs: 3_750 }],
  ['a final one in mid-utterance', results({ speech_final: false }), { type: 'final', endsUtterance: false }],
  ['an interim result', results({ is_final: false }), { type: 'interim', text: 'Hello there.' }],
  ['a result without times', results({ start: undefined }), { type: 'final', untilMs: undefined }],
  ['an error', { type: 'Error', description: 'bad audio', message: 'DATA-0000' }, { words: 'bad audio: DATA-0000' }],
  ['an error without words', { type: 'Error' }, { type: 'error', words: 'an error without words' }],
  ['metadata', { type: 'Metadata', request_id: 'x' }, { type: 'other' }],
  ['the end of an utterance', { type: 'UtteranceEnd', last_word_end: 2.1 }, { type: 'other' }],
  ['results without an alternative', results({ channel: { alternatives: [] } }), { type: 'other' }],
  ['results without a channel', results({ channel: null }), { type: 'other' }],
  ['something that is no object', [1, 2], { type: 'other' }],
])('understands %s', (_name, message, expected) => {
  expect(new DeepgramDialect({ apiKey }).parse(JSON.stringify(message))).toMatchObject(expected);
});

test('no message makes it throw', () => {
  const dialect = new DeepgramDialect({ apiKey });
  const junk = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        {
          type: fc.constantFrom('Results', 'Error', 'Metadata', 'toString'),
          is_final: fc.oneof(fc.boolean(), fc.anything()),
          speech_final: fc.anything(),
          start: fc.oneof(fc.double(), fc.anything()),
          duration: fc.anything(),
          channel: fc.oneof(fc.anything(), fc.record({ alternatives: fc.anything() })),
          description: fc.anything(),
        },
        { requiredKeys: ['type'] },
      )
      .map((fields) => JSON.stringify(fields, (_key, value) => (typeof value === 'bigint' ? String(value) : value))),
  );
  fc.assert(
    fc.property(junk, (message) => {
      expect(['interim', 'final', 'error', 'other']).toContain(dialect.parse(message).type);
    }),
    { numRuns: 3_000 },
  );
});

test('mu-law that was decoded is encoded again to what it was', () => {
  const codes = Uint8Array.from({ length: 256 }, (_, code) => code).filter((code) => code !== 0x7f);
  expect(encodeMulaw(decodeMulaw(codes))).toEqual(codes);
});
