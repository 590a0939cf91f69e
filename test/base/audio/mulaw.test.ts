import alawmulaw from 'alawmulaw';
import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../../src/base/audio/mulaw.js';

const ALL_SAMPLES = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);
const ALL_CODES = Uint8Array.from({ length: 256 }, (_, i) => i);

describe('mu-law', () => {
  test('encodes all 65,536 samples as alawmulaw does', () => {
    expect(encodeMulaw(ALL_SAMPLES)).toEqual(alawmulaw.mulaw.encode(ALL_SAMPLES));
  });

  test('decodes all 256 codes as alawmulaw does', () => {
    expect(decodeMulaw(ALL_CODES)).toEqual(alawmulaw.mulaw.decode(ALL_CODES));
  });

  test('gives every code back after a round trip, but for the negative zero', () => {
    const again = encodeMulaw(decodeMulaw(ALL_CODES));
    expect([...again]).toEqual([...ALL_CODES].map((code) => (code === 0x7f ? 0xff : code)));
  });

  test('has a silence byte that decodes to zero', () => {
    expect([...decodeMulaw(Uint8Array.of(MULAW_SILENCE))]).toEqual([0]);
    expect([...encodeMulaw(Int16Array.of(0))]).toEqual([MULAW_SILENCE]);
  });

  test('gives each result a buffer of its own', () => {
    const first = encodeMulaw(Int16Array.of(1_000, -1_000));
    const copy = [...first];
    const second = encodeMulaw(Int16Array.of(20_000, -20_000));
    expect(second.buffer).not.toBe(first.buffer);
    expect(first.buffer.byteLength).toBe(2);
    expect([...first]).toEqual(copy);

    const decoded = decodeMulaw(first);
    expect(decodeMulaw(second).buffer).not.toBe(decoded.buffer);
    expect(decoded.buffer.byteLength).toBe(4);
  });

  test('reads the bytes of a slice, not of the buffer around it', () => {
    const around = Buffer.from([0x00, 0x80, 0xff, 0x00]);
    expect([...decodeMulaw(around.subarray(1, 3))]).toEqual([32_124, 0]);
  });

  test('takes no samples and no bytes', () => {
    expect(encodeMulaw(new Int16Array(0))).toHaveLength(0);
    expect(decodeMulaw(new Uint8Array(0))).toHaveLength(0);
  });
});
