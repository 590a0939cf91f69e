/** Cuts at least this much, in milliseconds: the period of the highest voices. */
const SHORTEST_MS = 2.5;
/** And at most this much, in milliseconds: the period of low voices, and half of a frame. */
const LONGEST_MS = 10;
/** Over this much of the audio both sides of a cut are compared, and one faded into the other, in milliseconds. */
const FADE_MS = 10;
/** Places are compared at this rate, in hertz, whatever the rate of the audio. */
const COMPARED_RATE = 4_000;

/** By how much {@link shorten} can make 20 ms of audio shorter, in samples. */
export function cutLimits(sampleRate: number): { readonly shortest: number; readonly longest: number } {
  return { shortest: (SHORTEST_MS * sampleRate) / 1_000, longest: (LONGEST_MS * sampleRate) / 1_000 };
}

/**
 * Makes audio shorter at the same pitch: takes out the piece after which it goes on most like before it, which in a voice
 * is one or more of its periods, and fades over the join (waveform similarity overlap-add). Beginning and end stay as they are.
 * @param pcm mono, at least 20 ms
 * @param shortest of the piece, in samples
 * @param longest at most 10 ms, in samples
 * @returns a new array
 * @see W. Verhelst, M. Roelands, "An overlap-add technique based on waveform similarity (WSOLA)", ICASSP 1993
 */
export function shorten(pcm: Int16Array, sampleRate: number, shortest: number, longest: number): Int16Array {
  const fade = (FADE_MS * sampleRate) / 1_000;
  const step = Math.max(1, Math.round(sampleRate / COMPARED_RATE));
  let cut = longest;
  let least = Number.POSITIVE_INFINITY;
  for (let length = longest; length >= shortest; length -= step) {
    const difference = differenceAt(pcm, length, fade, step, least);
    if (difference < least) [least, cut] = [difference, length];
  }
  const joined = pcm.slice(cut);
  for (let i = 0; i < fade; i += 1) {
    const before = pcm[i] as number;
    joined[i] = Math.round(before + (((joined[i] as number) - before) * i) / (fade - 1));
  }
  return joined;
}

/** How unlike the beginning of `pcm` is to what follows after `lag` samples; not counted further than `limit`. */
function differenceAt(pcm: Int16Array, lag: number, length: number, step: number, limit: number): number {
  let sum = 0;
  for (let i = 0; i < length && sum < limit; i += step) sum += Math.abs((pcm[i] as number) - (pcm[i + lag] as number));
  return sum;
}
