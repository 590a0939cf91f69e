import fc from 'fast-check';
import { FrameResampler } from '../../../src/sandbox/network/frame-resampler.js';
import { FrameBuffer } from '../../../src/sandbox/rooms/frame-buffer.js';
import { mixOthers } from '../../../src/sandbox/rooms/mixer.js';
import { TickStatistics } from '../../../src/sandbox/rooms/tick-statistics.js';
import { fitSine, sine } from '../../base/audio/signals.js';

describe('mixing', () => {
  const pcm = (...samples: number[]): Int16Array => Int16Array.from(samples);

  test('gives everybody the sum of the others', () => {
    expect(mixOthers([pcm(1, 2), pcm(10, 20), pcm(100, 200), undefined])).toEqual([
      pcm(110, 220),
      pcm(101, 202),
      pcm(11, 22),
      pcm(111, 222),
    ]);
  });

  test('clips where a sum is too loud, and does not wrap', () => {
    const [, , heard] = mixOthers([pcm(30_000, -30_000), pcm(30_000, -30_000), undefined]);
    expect(heard).toEqual(pcm(32_767, -32_768));
  });

  test('does nothing for silence', () => {
    expect(mixOthers([])).toEqual([]);
    expect(mixOthers([undefined, undefined])).toEqual([undefined, undefined]);
    const only = pcm(1);
    expect(mixOthers([only, undefined])).toEqual([undefined, only]);
  });

  test('gives each of two what the other says', () => {
    expect(mixOthers([pcm(1), pcm(2)])).toEqual([pcm(2), pcm(1)]);
    expect(mixOthers([pcm(1), pcm(2), undefined])).toEqual([pcm(2), pcm(1), pcm(3)]);
  });

  test('is the sum of the others for any room', () => {
    const sound = fc.option(fc.int16Array({ minLength: 4, maxLength: 4 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(sound, { maxLength: 6 }), (said) => {
        const before = structuredClone(said);
        mixOthers(said).forEach((heard, self) => {
          for (let n = 0; n < 4; n += 1) {
            const sum = said.reduce((total, other, index) => total + (index === self ? 0 : (other?.[n] ?? 0)), 0);
            expect(heard?.[n] ?? 0).toBe(Math.max(-32_768, Math.min(32_767, sum)));
          }
        });
        expect(said).toEqual(before);
      }),
    );
  });
});

describe('resampling frames', () => {
  test.each([
    [8_000, 16_000],
    [16_000, 8_000],
  ])('%d to %d Hz gives one frame for each, at the same level', (from, to) => {
    const resampler = new FrameResampler(from, to);
    const signal = sine(1_000, from, from, 8_000);
    const frames = Array.from({ length: 50 }, (_, n) =>
      resampler.process(signal.slice((n * from) / 50, ((n + 1) * from) / 50)),
    );
    expect(frames.every((frame) => frame?.length === to / 50)).toBe(true);
    const all = Int16Array.from(frames.flatMap((frame) => [...(frame ?? [])]));
    expect(fitSine(all.subarray(to / 10), 1_000, to).amplitude).toBeCloseTo(8_000, -2);
  });

  test('lets a sound fade out and then gives silence', () => {
    const resampler = new FrameResampler(8_000, 16_000);
    expect(resampler.process(undefined)).toBeUndefined();
    resampler.process(sine(1_000, 8_000, 160));
    expect(resampler.process(undefined)?.some((sample) => sample !== 0)).toBe(true);
    expect(resampler.process(undefined)).toBeUndefined();
    expect(resampler.process(sine(1_000, 8_000, 160))).toHaveLength(320);
  });
});

describe('the buffer of a phone', () => {
  const frame = (n: number): Uint8Array => new Uint8Array([n]);

  test('gives frames in their order, and none when it is empty', () => {
    const buffer = new FrameBuffer();
    expect(buffer.take()).toBeUndefined();
    buffer.push(frame(1));
    buffer.push(frame(2));
    expect([buffer.take(), buffer.take(), buffer.take()]).toEqual([frame(1), frame(2), undefined]);
  });

  test('gets rid of a delay that a stall has left', () => {
    const buffer = new FrameBuffer();
    for (let n = 0; n < 5; n += 1) buffer.push(frame(n));
    let delay = 5;
    for (let n = 5; n < 105; n += 1) {
      buffer.push(frame(n));
      delay = n - (buffer.take()?.[0] ?? 0);
    }
    expect(delay).toBe(0);
  });

  test('holds ten frames at most', () => {
    const buffer = new FrameBuffer();
    for (let n = 0; n < 100; n += 1) buffer.push(frame(n));
    expect(buffer.take()).toEqual(frame(90));
  });
});

test('tick statistics tell the median, the slowest hundredth and the slowest', () => {
  const statistics = new TickStatistics();
  expect(statistics.summary).toEqual({ ticks: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 });
  for (let ms = 1; ms <= 5_000; ms += 1) statistics.add(ms);
  expect(statistics.summary).toEqual({ ticks: 5_000, p50Ms: 2_952, p99Ms: 4_959, maxMs: 5_000 });
});
