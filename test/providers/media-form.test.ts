import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { createMessageMutator } from '../../src/lab/kit/conformance/message-mutator.js';
import { PlivoCodec } from '../../src/providers/plivo/wire.js';
import { recordedMessages } from './plivo/recorded-messages.js';

const STREAM_ID = 'e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1';

/** Whether a codec, which may know the form of others, says of the bytes of a message what it says of its text. */
function readsAlike(codec: PlivoCodec, text: string): boolean {
  const bytes = Buffer.from(text);
  return isDeepStrictEqual(codec.decode(bytes), codec.decode(String(bytes)));
}

/** Changes a message as the next one of a stream differs: other digits, another payload. */
const nextOf = (text: string, digits: string, payload: string) =>
  text.replace(/"payload":"[^"]*"/, () => `"payload":"${payload}"`).replace(/\d+/g, () => digits);

let parses: jest.SpyInstance;
beforeEach(() => {
  parses = jest.spyOn(JSON, 'parse');
});
afterEach(() => parses.mockRestore());

const mediaOf = (payload: Uint8Array, chunk: number, more: object = {}) =>
  JSON.stringify({
    sequenceNumber: chunk + 1,
    event: 'media',
    streamId: STREAM_ID,
    media: {
      track: 'inbound',
      timestamp: String(1_767_323_045_698 + chunk * 20),
      chunk,
      payload: Buffer.from(payload).toString('base64'),
    },
    extra_headers: '',
    ...more,
  });

test('parses the first message of a stream whole, and none of the next thousand', () => {
  const codec = new PlivoCodec(STREAM_ID);
  for (let chunk = 1; chunk <= 1_000; chunk += 1) {
    const payload = Uint8Array.from({ length: 160 }, (_, n) => (n * chunk) & 0xff);
    expect(codec.decode(Buffer.from(mediaOf(payload, chunk)))).toEqual({
      type: 'audio',
      payload: Buffer.from(payload),
    });
  }
  expect(parses).toHaveBeenCalledTimes(1);
});

test('gives each payload memory of its own', () => {
  const codec = new PlivoCodec(STREAM_ID);
  const payloads = [1, 2, 3].map((value) => {
    const message = codec.decode(Buffer.from(mediaOf(new Uint8Array(160).fill(value), value)));
    return message.type === 'audio' ? message.payload : undefined;
  });
  expect(payloads.map((payload) => [...(payload ?? [])].every((byte, _, all) => byte === all[0]))).toEqual([
    true,
    true,
    true,
  ]);
  expect(payloads.map((payload) => payload?.[0])).toEqual([1, 2, 3]);
});

test('reads bytes as it reads text: recorded messages, one after the other, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...recordedMessages('plivo/messages')), { maxLength: 20 }), (texts) => {
      const codec = new PlivoCodec(STREAM_ID);
      return texts.every((text) => readsAlike(codec, text));
    }),
  );
});

test('reads bytes as it reads text: 10,000 damaged messages, each after an undamaged one', () => {
  const corpus = recordedMessages('plivo/messages').filter((text) => text.includes('"media"'));
  const codec = new PlivoCodec(STREAM_ID);
  const next = createMessageMutator(corpus, 2);
  const wrong: string[] = [];
  for (let n = 0; n < 10_000; n += 1) {
    codec.decode(Buffer.from(corpus[n % corpus.length] as string));
    const text = next();
    if (!readsAlike(codec, text)) wrong.push(text);
  }
  expect(wrong).toEqual([]);
});

test('reads bytes as it reads text: other digits, other payloads, other trailing bits and padding', () => {
  const digits = fc.oneof(
    fc.stringMatching(/^\d{1,20}$/),
    fc.constantFrom('0', '00', '01', '-1', '1.5', '1e5', '1e05', ''),
  );
  const payload = fc.oneof(
    fc.base64String(),
    fc.stringMatching(/^[A-Za-z0-9+/=_-]{0,12}$/),
    fc.string({ maxLength: 8, unit: 'binary' }),
  );
  const media = recordedMessages('plivo/messages').filter((text) => text.includes('"media"'));
  fc.assert(
    fc.property(fc.constantFrom(...media), digits, payload, fc.boolean(), (text, other, audio, isCut) => {
      const codec = new PlivoCodec(STREAM_ID);
      codec.decode(Buffer.from(text));
      const message = nextOf(text, other, audio);
      return readsAlike(codec, isCut ? message.slice(0, -1) : message);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [
    'two payloads',
    '{"event":"media","media":{"payload":"AAAA","payload":"AQID"}}',
    '{"event":"media","media":{"payload":"AQID","payload":"AAAA"}}',
  ],
  [
    'a payload elsewhere',
    '{"payload":"AAAA","event":"media","media":{"payload":"AQID"}}',
    '{"payload":"AQID","event":"media","media":{"payload":"AAAA"}}',
  ],
  [
    'a value named payload',
    '{"x":"payload","event":"media","media":{"payload":"AQID"}}',
    '{"x":"payload","event":"media","media":{"payload":"AAAA"}}',
  ],
  [
    'an escape sequence',
    '{"event":"media","x":"\\u0031","media":{"payload":"AQID"}}',
    '{"event":"media","x":"\\u9","media":{"payload":"AQID"}}',
  ],
  [
    'an escaped payload',
    '{"event":"media","media":{"payload":"A\\u0041AA"}}',
    '{"event":"media","media":{"payload":"A\\u00AA"}}',
  ],
  [
    'a number with a leading zero',
    '{"event":"media","n":10,"media":{"payload":"AQID"}}',
    '{"event":"media","n":010,"media":{"payload":"AQID"}}',
  ],
  [
    'white space',
    '{"event":"media", "media": { "payload" : "AQID" } }',
    '{"event":"media", "media": { "payload" : "AAAA" } }',
  ],
  [
    'a byte order mark',
    '{"event":"media","media":{"payload":"AQID"}}',
    '\ufeff{"event":"media","media":{"payload":"AQID"}}',
  ],
  ['more behind it', '{"event":"media","media":{"payload":"AQID"}}', '{"event":"media","media":{"payload":"AQID"}}}'],
  [
    'digits in keys',
    '{"event":"media","a1":1,"media":{"payload":"AQID"}}',
    '{"event":"media","a22":2,"media":{"payload":"AQID"}}',
  ],
])('reads a message with %s as it reads its text', (_, first, second) => {
  const codec = new PlivoCodec(STREAM_ID);
  for (const text of [first, second, first]) expect([text, readsAlike(codec, text)]).toEqual([text, true]);
});
