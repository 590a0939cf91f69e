/**
 * The anti-alias filter of a rational resampler, cut into one short filter per output phase. All phases have the same
 * number of taps, a multiple of four, and unity gain at 0 Hz.
 */
export interface PolyphaseFilter {
  /** Interpolation factor: number of phases. */
  readonly up: number;
  /** Decimation factor: how many phases one output sample advances. */
  readonly down: number;
  readonly tapsPerPhase: number;
  /** The taps of each phase, in the order of the input samples they multiply. */
  readonly phases: readonly Float64Array[];
}

/** Taps on each side of an output sample, counted at the lower of the two rates: 4 ms at 8000 Hz. */
const HALF_WIDTH = 32;
/** Stop band about 92 dB down. */
const KAISER_BETA = 9.2;
/** The -6 dB point as a part of the lower Nyquist frequency, so that the stop band begins right at that frequency. */
const CUTOFF = 0.907;

const cache = new Map<string, PolyphaseFilter>();

/** The filter that turns `fromRate` into `toRate` (both in hertz); designed once per ratio and shared. */
export function polyphaseFilter(fromRate: number, toRate: number): PolyphaseFilter {
  const divisor = greatestCommonDivisor(fromRate, toRate);
  const up = toRate / divisor;
  const down = fromRate / divisor;
  const key = `${up}/${down}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const filter = design(up, down);
  cache.set(key, filter);
  return filter;
}

/** Kaiser-windowed sinc; see Oppenheim and Schafer, "Discrete-Time Signal Processing", section 7.5. */
function design(up: number, down: number): PolyphaseFilter {
  const decimation = Math.max(1, down / up);
  const half = 2 * Math.ceil((HALF_WIDTH * decimation) / 2);
  const tapsPerPhase = 2 * half;
  const cutoff = CUTOFF / decimation; // of the input's Nyquist frequency
  const phases = Array.from({ length: up }, (_, phase) => {
    const taps = Float64Array.from({ length: tapsPerPhase }, (_, i) => {
      const offset = phase / up + half - 1 - i; // in input samples from the output instant
      return sinc(cutoff * offset) * kaiser(offset / half);
    });
    const gain = taps.reduce((sum, tap) => sum + tap, 0);
    return taps.map((tap) => tap / gain);
  });
  return { up, down, tapsPerPhase, phases };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** The Kaiser window over -1 to 1. */
function kaiser(x: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(KAISER_BETA * Math.sqrt(1 - x * x)) / besselI0(KAISER_BETA);
}

/** Modified Bessel function of the first kind, order zero, by its power series. */
function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-16; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
