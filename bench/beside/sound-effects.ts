import { joinSamples } from '../../src/base/audio/join-samples.js';
import { randomNumbers } from '../hearing/random.js';
import { CALLER_RMS, type HumanSound, scaled } from './human-sounds.js';

const SAMPLE_RATE = 8_000;
const FRAME = SAMPLE_RATE / 50;
const KINDS = ['hm', 'uh-oh', 'laugh', 'cough', 'grunt'] as const;

/** A sound of a person without words in it. */
export interface Effect {
  readonly kind: (typeof KINDS)[number];
  readonly pcm: Int16Array;
}

/**
 * Sounds that are no words, made of pieces of human speech: nothing of the kind is in Debian as recordings of persons on the telephone.
 * As many of each kind.
 */
export function effects(sounds: readonly HumanSound[], count: number): Effect[] {
  const random = randomNumbers(11);
  const vowels = sounds.map(({ pcm }) => loudest(pcm, 0.3)).filter((vowel) => vowel.length > 0);
  const vowel = () => vowels[Math.floor(random() * vowels.length)] as Int16Array;
  return Array.from({ length: count }, (_, index) => {
    const kind = KINDS[index % KINDS.length] as Effect['kind'];
    const pcm = made(kind, vowel, random);
    return { kind, pcm: wholeFrames(leveled(pcm, CALLER_RMS * (0.5 + 0.7 * random()))) };
  });
}

function made(kind: Effect['kind'], vowel: () => Int16Array, random: () => number): Int16Array {
  switch (kind) {
    case 'hm':
      return faded(muffled(stretched(vowel(), 250 + 250 * random(), 0.85)));
    case 'uh-oh':
      return joinSamples([
        faded(stretched(vowel(), 160, 1.05)),
        silence(60 + 40 * random()),
        faded(stretched(vowel(), 260, 0.8)),
      ]);
    case 'laugh': {
      const ha = vowel();
      const pieces = Array.from({ length: 3 + Math.floor(3 * random()) }, (_, i) => [
        breath(50, random),
        faded(scaled(stretched(ha, 90, 1.15 - 0.05 * i), 1 - 0.12 * i)),
        silence(50),
      ]);
      return joinSamples(pieces.flat());
    }
    case 'cough':
      return joinSamples([burst(140 + 60 * random(), random), silence(90), burst(180 + 80 * random(), random)]);
    case 'grunt':
      return faded(muffled(stretched(vowel(), 140 + 140 * random(), 0.6)));
  }
}

/** The loudest stretch of a sound. */
function loudest(pcm: Int16Array, seconds: number): Int16Array {
  const length = Math.round(seconds * SAMPLE_RATE);
  let [best, bestAt] = [0, 0];
  for (let at = 0; at + length <= pcm.length; at += FRAME) {
    const power = pcm.subarray(at, at + length).reduce((sum, sample) => sum + sample * sample, 0);
    if (power > best) [best, bestAt] = [power, at];
  }
  return best > 0 ? pcm.slice(bestAt, bestAt + length) : new Int16Array();
}

/** So long, there and back again where it is too short. @param pitch 1 leaves it */
function stretched(pcm: Int16Array, ms: number, pitch: number): Int16Array {
  return Int16Array.from({ length: Math.round((ms * SAMPLE_RATE) / 1_000) }, (_, n) => {
    const at = Math.floor(n * pitch) % (2 * pcm.length);
    return pcm[at < pcm.length ? at : 2 * pcm.length - 1 - at] as number;
  });
}

/** With closed lips: twice a low pass of 500 Hz. */
function muffled(pcm: Int16Array): Int16Array {
  let [first, second] = [0, 0];
  return pcm.map((sample) => {
    first += 0.32 * (sample - first);
    second += 0.32 * (first - second);
    return 2 * second;
  });
}

/** Air through the throat: comes at once, goes slowly. */
function burst(ms: number, random: () => number): Int16Array {
  const length = Math.round((ms * SAMPLE_RATE) / 1_000);
  let low = 0;
  return Int16Array.from({ length }, (_, n) => {
    low += 0.55 * ((random() + random() + random() - 1.5) * 9_000 - low);
    return low * Math.min(1, n / 60) * Math.exp((-3 * n) / length);
  });
}

const breath = (ms: number, random: () => number) => scaled(burst(ms, random), 0.3);
const silence = (ms: number) => new Int16Array(Math.round((ms * SAMPLE_RATE) / 1_000));

const faded = (pcm: Int16Array) => pcm.map((sample, n) => sample * Math.min(1, n / 120, (pcm.length - n) / 240));

function leveled(pcm: Int16Array, rms: number): Int16Array {
  const loud = pcm.filter((sample) => Math.abs(sample) > 50);
  const now = Math.sqrt(loud.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, loud.length));
  return scaled(pcm, rms / Math.max(1, now));
}

const wholeFrames = (pcm: Int16Array) => joinSamples([pcm, new Int16Array((FRAME - (pcm.length % FRAME)) % FRAME)]);

export type NoiseColor = 'white' | 'pink' | 'brown';

/** Eight seconds of steady noise. @param rms in sample units */
export function steadyNoise(color: NoiseColor, rms: number, seed: number): Int16Array {
  const random = randomNumbers(seed);
  const poles = [0.99765, 0.963, 0.57].map((pole) => ({ pole, level: 0 }));
  let brown = 0;
  const samples = Float64Array.from({ length: 8 * SAMPLE_RATE }, () => {
    const white = random() + random() + random() - 1.5;
    if (color === 'white') return white;
    if (color === 'brown') {
      brown = 0.985 * brown + white;
      return brown;
    }
    // three filters one above the other fall by 3 dB per octave
    const gains = [0.099, 0.2965, 1.0526];
    return poles.reduce((sum, filter, index) => {
      filter.level = filter.pole * filter.level + white * (gains[index] as number);
      return sum + filter.level;
    }, white * 0.1848);
  });
  const now = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  return Int16Array.from(samples, (sample) => (sample * rms) / now);
}
