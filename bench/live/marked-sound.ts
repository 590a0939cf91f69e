import type { Resampler as Samples } from '../../src/base/audio/resampler.js';
import { randomNumbers } from '../hearing/random.js';
import { dist } from '../processes/dist.js';

const { Resampler } = await dist<typeof import('../../src/base/audio/resampler.js')>('base/audio/resampler.js');

const RATE = 8_000;
const LONGEST_MS = 7_000;
const AMPLITUDE = 9_000;
/** So much of what was heard is looked for, in samples at {@link RATE}. */
const SOUGHT = 240;
/** Resampling rings around a beginning and an end, in samples at {@link RATE}. */
const EDGE = 20;
/** The sound is found where it is this much like itself, of 1. */
const LIKE = 0.6;
/** Shorter silences are within speech, in milliseconds. */
const LONGEST_GAP_MS = 15;

/** An answer is heard from within this of its beginning, in milliseconds. */
const BEGINNING_MS = 100;

/** What goes on begins where it was held, or this much before that at the most, when it was at its beginning; in milliseconds. */
const CONTINUED_MS = 25;

/** Noise, no part of which is like another: where any 30 ms of it stand is found to a sample. */
const random = randomNumbers(40);
const noise = Int16Array.from({ length: (LONGEST_MS * RATE) / 1_000 }, () => AMPLITUDE * (2 * random() - 1));
for (let n = noise.length - 1; n > 0; n -= 1) noise[n] = ((noise[n] ?? 0) + (noise[n - 1] ?? 0)) / 2;
/** Of all samples before each. */
const powers = new Float64Array(noise.length + 1);
for (const [n, sample] of noise.entries()) powers[n + 1] = (powers[n] as number) + sample ** 2;
const byRate = new Map<number, Int16Array>([[RATE, noise]]);

/** @param sampleRate hertz */
export function markedSound(ms: number, sampleRate: number): Int16Array {
  const known = byRate.get(sampleRate) ?? resampled(noise, new Resampler(RATE, sampleRate));
  byRate.set(sampleRate, known);
  return known.subarray(0, Math.round((ms * sampleRate) / 1_000));
}

function resampled(pcm: Int16Array, resampler: Samples): Int16Array {
  return Int16Array.from([...resampler.process(pcm), ...resampler.flush()]);
}

/** A stretch of marked sound that was heard without a gap, in milliseconds. */
export interface HeardStretch {
  /** Where it begins in what was heard. */
  readonly atMs: number;
  readonly lengthMs: number;
  /** From where to where in the sound it is; undefined when that is not found. */
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** What was heard of {@link markedSound}, stretch by stretch. What is silent is 0 in it. */
export function hearMarked(heard: Int16Array, sampleRate: number): HeardStretch[] {
  const pcm = sampleRate === RATE ? heard : resampled(heard, new Resampler(sampleRate, RATE));
  const gap = (LONGEST_GAP_MS * RATE) / 1_000;
  const stretches: Array<{ from: number; to: number }> = [];
  for (let n = 0; n < pcm.length; n += 1) {
    if (Math.abs(pcm[n] as number) < 50) continue;
    const last = stretches.at(-1);
    if (last && n - last.to <= gap) last.to = n + 1;
    else stretches.push({ from: n, to: n + 1 });
  }
  return stretches
    .filter(({ from, to }) => to - from >= SOUGHT + 2 * EDGE)
    .map(({ from, to }) => {
      const first = placeOf(pcm.subarray(from + EDGE, from + EDGE + SOUGHT));
      const last = placeOf(pcm.subarray(to - EDGE - SOUGHT, to - EDGE));
      return {
        atMs: msOf(from),
        lengthMs: msOf(to - from),
        fromMs: first === undefined ? undefined : msOf(first - EDGE),
        toMs: last === undefined ? undefined : msOf(last + SOUGHT + EDGE),
      };
    });
}

/** What a caller has heard of each answer, in order: up to where in its sound. Each begins with the beginning of the sound. */
export function answersIn(stretches: readonly HeardStretch[]): number[] {
  const answers: number[] = [];
  for (const { fromMs, toMs } of stretches) {
    if (fromMs === undefined || toMs === undefined) continue; // another sound
    const last = answers.at(-1) ?? Number.POSITIVE_INFINITY;
    if (fromMs < Math.min(BEGINNING_MS, last - CONTINUED_MS)) answers.push(toMs);
    else if (answers.length > 0) answers[answers.length - 1] = toMs;
  }
  return answers;
}

const msOf = (samples: number) => (1_000 * samples) / RATE;

function placeOf(sought: Int16Array): number | undefined {
  let best = { at: -1, likeness: LIKE };
  const power = sought.reduce((sum, sample) => sum + sample ** 2, 0);
  for (let at = 0; at + sought.length <= noise.length; at += 1) {
    let product = 0;
    for (let n = 0; n < sought.length; n += 1) product += (sought[n] as number) * (noise[at + n] as number);
    const there = (powers[at + sought.length] as number) - (powers[at] as number);
    const likeness = product / Math.sqrt(power * there);
    if (likeness > best.likeness) best = { at, likeness };
  }
  return best.at < 0 ? undefined : best.at;
}
