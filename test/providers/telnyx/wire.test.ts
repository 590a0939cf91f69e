import fc from 'fast-check';
import { encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { payloadCoding } from '../../../src/base/audio/payload.js';
import { TelnyxCodec } from '../../../src/providers/telnyx/wire.js';
import { sine } from '../../base/audio/signals.js';
import { checkDamaged, MESSAGES } from './damaged.js';

test('2,000 mutated messages neither throw nor end a call that goes on', () => checkDamaged(2_000));

test('what a stream says after its beginning is read', () => {
  const codec = new TelnyxCodec();
  const types = MESSAGES.map((message) => codec.decode(JSON.stringify(message)).type);
  expect(types.slice(1)).toEqual(['dtmf', 'mark', 'error', 'stop']);
});

const frame = (chunk: number) =>
  JSON.stringify({
    event: 'media',
    media: { track: 'inbound', chunk: String(chunk), timestamp: '0', payload: Buffer.from([chunk]).toString('base64') },
  });

/** What is heard of frames that come in this order. */
function heard(chunks: readonly number[]): number[] {
  const codec = new TelnyxCodec();
  return chunks.flatMap((chunk) => {
    const message = codec.decode(frame(chunk));
    return message.type === 'audio' ? [...message.payload] : [];
  });
}

test('frames that are swapped or repeated are heard once, in their order', () => {
  const pairs = fc.array(fc.constantFrom('in order', 'swapped', 'repeated'), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(pairs, (hows) => {
      const chunks = hows.flatMap((how, pair) => {
        const [first, second] = [2 * pair + 1, 2 * pair + 2];
        return how === 'swapped' ? [second, first] : how === 'repeated' ? [first, first, second] : [first, second];
      });
      expect(heard(chunks)).toEqual(hows.flatMap((_, pair) => [2 * pair + 1, 2 * pair + 2]));
    }),
  );
});

test('whatever the order, at most three frames wait, and none is heard twice', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(Array.from({ length: 40 }, (_, n) => n + 1)), (chunks) => {
      const audio = heard(chunks);
      expect(new Set(audio).size).toBe(audio.length);
    }),
  );
});

test('a frame that is lost holds up the sound for three frames', () => {
  expect(heard([1, 2, 4, 5])).toEqual([1, 2]);
  expect(heard([1, 2, 4, 5, 6])).toEqual([1, 2, 4, 5, 6]);
});

test('what the bot says needs no name of the stream', () => {
  const codec = new TelnyxCodec();
  const messages = [codec.encodeAudio(Buffer.from([1, 2])), codec.encodeMark('a "b"'), codec.encodeClear()];
  expect(messages.map((message) => JSON.parse(message))).toEqual([
    { event: 'media', media: { payload: 'AQI=' } },
    { event: 'mark', mark: { name: 'a "b"' } },
    { event: 'clear' },
  ]);
  expect(codec.encodeDtmf()).toBeUndefined();
});

describe('a stream in the codec of its call', () => {
  const start = (media_format: object) =>
    JSON.stringify({
      event: 'start',
      stream_id: '32de0dea-53cb-4b21-89a4-9e1819c043bc',
      start: { call_control_id: 'v3:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ', media_format },
    });

  test('is read when that is A-law, and is sent mu-law, as it was asked for', () => {
    const message = new TelnyxCodec().decode(start({ encoding: 'PCMA', sample_rate: 8_000, channels: 1 }));
    expect(message).toMatchObject({ type: 'start', format: { encoding: 'PCMA', sampleRate: 8_000 } });
    const coding = payloadCoding('PCMA');
    const tone = sine(440, 8_000, 160, 12_000);
    expect(coding?.encode(tone)).toEqual(encodeMulaw(tone));
    expect([...(coding?.decode(Uint8Array.of(0xd5, 0x55, 0xaa, 0x2a)) ?? [])]).toEqual([8, -8, 32_256, -32_256]);
  });

  test.each([
    { encoding: 'G722', sample_rate: 8_000, channels: 1 },
    { encoding: 'OPUS', sample_rate: 48_000, channels: 1 },
    { encoding: 'PCMA', sample_rate: 16_000, channels: 1 },
    { encoding: 'PCMA', sample_rate: 8_000, channels: 2 },
  ])('is named when it is %j', (format) => {
    expect(new TelnyxCodec().decode(start(format))).toMatchObject({
      type: 'unsupported',
      detail: expect.stringContaining(`cannot decode encoding "${format.encoding}"`),
    });
  });
});
