import { renderHoldMelody } from '../../base/audio/hold-melody.js';
import { joinSamples } from '../../base/audio/join-samples.js';
import { Resampler } from '../../base/audio/resampler.js';

/** How long a sound fades where it begins again, so that the loop has no click, in milliseconds. */
const SEAM_MS = 5;

/** A sound that is heard again and again, at the rate of whichever wire it goes out on. */
export interface LoopedSound {
  /** @param rate hertz @returns all of it, at least one sample; not to be written to */
  at(rate: number): Int16Array;
}

const melodies = new Map<number, Int16Array>();

/** The melody of `base/audio/hold-melody.ts`, whose loop has no seam. */
export const HOLD_MUSIC: LoopedSound = {
  at(rate) {
    const melody = melodies.get(rate) ?? renderHoldMelody(rate);
    melodies.set(rate, melody);
    return melody;
  },
};

/** @param pcm mono, at least one sample, at `sampleRate` hertz */
export function loopOf(pcm: Int16Array, sampleRate: number): LoopedSound {
  const rendered = new Map<number, Int16Array>();
  return {
    at(rate) {
      const known = rendered.get(rate) ?? fadedAtEnds(resampled(pcm, sampleRate, rate), rate);
      rendered.set(rate, known);
      return known;
    },
  };
}

function resampled(pcm: Int16Array, from: number, to: number): Int16Array {
  if (from === to) return pcm.slice();
  const resampler = new Resampler(from, to);
  const parts = [resampler.process(pcm), resampler.flush()];
  return joinSamples(parts);
}

/** @param pcm is written to */
function fadedAtEnds(pcm: Int16Array, rate: number): Int16Array {
  const fade = Math.min((SEAM_MS * rate) / 1_000, pcm.length / 2);
  for (let i = 0; i < fade; i += 1) {
    const last = pcm.length - 1 - i;
    pcm[i] = Math.round(((pcm[i] as number) * i) / fade);
    pcm[last] = Math.round(((pcm[last] as number) * i) / fade);
  }
  return pcm;
}
