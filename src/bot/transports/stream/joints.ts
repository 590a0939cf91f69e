/** Nothing above this is a voice, of 32767: about -50 dBFS. */
const QUIET = 100;

/** Over this much one sound fades into another, in milliseconds. */
const FADE_MS = 10;

/** The sum, clipped to 16 bits. @param samples of the longest */
export function mixed(parts: readonly Int16Array[], samples: number): Int16Array {
  const sum = new Int16Array(samples);
  for (let i = 0; i < samples; i += 1) {
    let all = 0;
    for (const part of parts) all += part[i] ?? 0;
    sum[i] = Math.max(-32_768, Math.min(32_767, all));
  }
  return sum;
}

/** What takes the place of both, without a click: it begins as the first and ends as the second, and is as long as this. @param rate hertz */
export function crossFaded(from: Int16Array, to: Int16Array, rate: number): Int16Array {
  const fade = Math.min(to.length, (FADE_MS * rate) / 1_000);
  return to.map((sample, i) => {
    const part = Math.min(1, i / fade);
    return Math.round((from[i] ?? 0) * (1 - part) + sample * part);
  });
}

/** A sound that has broken off at a sample fades: from there to silence. */
export function fadedFrom(sample: number, length: number): Int16Array {
  return Int16Array.from({ length }, (_, i) =>
    Math.round(sample * (0.5 + 0.5 * Math.cos((Math.PI * (i + 1)) / length))),
  );
}

/** Whether there is no voice in it. */
export const isQuiet = (pcm: Int16Array): boolean => pcm.every((sample) => Math.abs(sample) <= QUIET);
