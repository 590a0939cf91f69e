/** A sine of `frequency` hertz that starts at phase 0, `amplitude` in sample units. */
export function sine(frequency: number, sampleRate: number, length: number, amplitude = 16_000): Int16Array {
  return Int16Array.from({ length }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * frequency * n) / sampleRate)),
  );
}

export function concat(...parts: Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Adds sample by sample and clips; as long as `a`. */
export function mix(a: Int16Array, b: Int16Array): Int16Array {
  return a.map((sample, n) => Math.max(-32_768, Math.min(32_767, sample + (b[n] ?? 0))));
}

export function gain(pcm: Int16Array, db: number): Int16Array {
  return pcm.map((sample) => Math.round(sample * 10 ** (db / 20)));
}

/** Samples that look random and are the same in every run. */
export function noise(length: number, amplitude: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.round((state / 2 ** 31) * amplitude);
  });
}

/** Cuts `pcm` into pieces of the given sizes, over and over, the last one as long as it comes. */
export function cut(pcm: Int16Array, sizes: readonly number[]): Int16Array[] {
  const pieces: Int16Array[] = [];
  for (let at = 0, i = 0; at < pcm.length; i += 1) {
    const size = sizes[i % sizes.length] as number;
    pieces.push(pcm.slice(at, at + size));
    at += size;
  }
  return pieces;
}

/** Largest difference between two signals, sample by sample; infinite when their lengths differ. */
export function largestDifference(a: Int16Array, b: Int16Array): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  return peak(a, (sample, n) => sample - (b[n] as number));
}

/** Largest magnitude of the samples, or of what `of` makes of them. */
export function peak(pcm: Int16Array, of = (sample: number, _n: number) => sample): number {
  let largest = 0;
  for (let n = 0; n < pcm.length; n += 1) largest = Math.max(largest, Math.abs(of(pcm[n] as number, n)));
  return largest;
}

export interface SineFit {
  /** Power of the sine over that of everything else, in dB. */
  snrDb: number;
  amplitude: number;
}

/** Fits a sine of known frequency to the middle 60 % of `pcm` by least squares. */
export function fitSine(pcm: Int16Array, frequency: number, sampleRate: number): SineFit {
  const middle = pcm.subarray(Math.floor(pcm.length * 0.2), Math.floor(pcm.length * 0.8));
  const omega = (2 * Math.PI * frequency) / sampleRate;
  let [cc, ss, cs, yc, ys] = [0, 0, 0, 0, 0];
  middle.forEach((sample, n) => {
    const c = Math.cos(omega * n);
    const s = Math.sin(omega * n);
    cc += c * c;
    ss += s * s;
    cs += c * s;
    yc += sample * c;
    ys += sample * s;
  });
  const determinant = cc * ss - cs * cs;
  const a = (yc * ss - ys * cs) / determinant;
  const b = (ys * cc - yc * cs) / determinant;
  let signal = 0;
  let rest = 0;
  middle.forEach((sample, n) => {
    const fitted = a * Math.cos(omega * n) + b * Math.sin(omega * n);
    signal += fitted ** 2;
    rest += (sample - fitted) ** 2;
  });
  return { snrDb: 10 * Math.log10(signal / rest), amplitude: Math.hypot(a, b) };
}
