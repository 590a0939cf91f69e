import { Earpiece } from '../../../../src/base/audio/line/earpiece.js';
import { Microphone } from '../../../../src/base/audio/line/microphone.js';
import { decodeMulaw, encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { cut, fitSine, sine } from '../signals.js';

const RATES = [8_000, 16_000, 24_000, 44_100, 48_000];
/** Of the audio thread of a browser, in samples. */
const BLOCK = 128;
/** What mu-law leaves of a tone. */
const CLEAN_DB = 33;

test.each(RATES)('a tone at a microphone of %d Hz comes out true, 10 ms at a time', (rate) => {
  const microphone = new Microphone(rate);
  const pieces: Uint8Array[] = [];
  for (const block of cut(sine(1_000, rate, rate, 16_000), [BLOCK])) {
    microphone.hear(
      Float32Array.from(block, (sample) => sample / 32_768),
      (payload) => pieces.push(payload),
    );
  }
  expect(pieces.every(({ length }) => length === 80)).toBe(true);
  expect(pieces.length).toBeGreaterThanOrEqual(98);
  const heard = decodeMulaw(Buffer.concat(pieces));
  expect(fitSine(heard.subarray(800), 1_000, 8_000).snrDb).toBeGreaterThan(CLEAN_DB);
});

test.each(RATES)('a tone on the line comes out true at an earpiece of %d Hz, soon and without gaps', (rate) => {
  const earpiece = new Earpiece(rate);
  const frames = cut(sine(1_000, 8_000, 16_000, 16_000), [160]).map(encodeMulaw);
  const played: number[] = [];
  let next = 0;
  for (let n = 0; n < Math.floor((2 * rate) / BLOCK); n += 1) {
    const nowMs = (n * BLOCK * 1_000) / rate;
    const samples = new Float32Array(BLOCK);
    earpiece.play(samples, nowMs);
    played.push(...samples.map((sample) => sample * 32_768));
    // Frames come 3 ms after their time, or 8.
    while (next < frames.length && nowMs >= next * 20 + 100 + (next % 3 === 0 ? 8 : 3)) {
      earpiece.hear(frames[next] as Uint8Array, nowMs);
      next += 1;
    }
  }
  const firstMs = (played.findIndex((sample) => Math.abs(sample) > 2_000) * 1_000) / rate;
  expect(firstMs).toBeLessThan(100 + 65);
  const steady = Int16Array.from(played.slice(rate / 2, rate * 1.5), Math.round);
  expect(fitSine(steady, 1_000, rate).snrDb).toBeGreaterThan(CLEAN_DB);
});

test('a device of a rate that no telephone line is converted to is refused', () => {
  expect(() => new Microphone(96_000)).toThrow(expect.objectContaining({ code: 'VB_AUDIO_INVALID' }));
  expect(() => new Earpiece(96_000)).toThrow(expect.objectContaining({ code: 'VB_AUDIO_INVALID' }));
});
