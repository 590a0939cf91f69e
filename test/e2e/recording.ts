import { readFileSync } from 'node:fs';
import { levelDb } from '../../src/base/audio/level.js';
import { decodeWav } from '../../src/base/audio/wav.js';

const SAMPLES_PER_MS = 8;
const FRAME_MS = 20;
/** Speech on a telephone line is well above, its noise well below. In dBFS. */
const AUDIBLE_DB = -45;

/** One side of a recorded call: 8000 Hz, from the answer on. */
export class Side {
  /** Level of each 20 ms, in dBFS. */
  readonly levels: readonly number[];

  constructor(readonly pcm: Int16Array) {
    const frames = Math.floor(pcm.length / SAMPLES_PER_MS / FRAME_MS);
    this.levels = Array.from({ length: frames }, (_, n) => levelDb(this.#part(n * FRAME_MS, (n + 1) * FRAME_MS)));
  }

  get durationMs(): number {
    return this.pcm.length / SAMPLES_PER_MS;
  }

  /** Its samples from there on. */
  from(ms: number): Int16Array {
    return this.#part(ms, this.durationMs);
  }

  /** How much of the time from `fromMs` to `toMs` is audible, in milliseconds. */
  audibleMs(fromMs = 0, toMs = this.durationMs): number {
    const frames = this.levels.slice(fromMs / FRAME_MS, toMs / FRAME_MS);
    return frames.filter((level) => level > AUDIBLE_DB).length * FRAME_MS;
  }

  /** How far its audible frames between `fromMs` and `toMs` lie apart in level, in dB. */
  rangeDb(fromMs: number, toMs: number): number {
    const levels = this.levels.slice(fromMs / FRAME_MS, toMs / FRAME_MS).filter((level) => level > AUDIBLE_DB);
    return Math.max(...levels) - Math.min(...levels);
  }

  /** When something is first heard from `fromMs` on, to 20 ms; undefined for never. */
  firstAudibleMs(fromMs = 0): number | undefined {
    const start = Math.ceil(fromMs / FRAME_MS);
    const frame = this.levels.findIndex((level, n) => n >= start && level > AUDIBLE_DB);
    return frame < 0 ? undefined : frame * FRAME_MS;
  }

  /** The longest run of samples between `fromMs` and `toMs` in which a continuous tone is not there, in milliseconds. */
  longestGapMs(fromMs: number, toMs: number): number {
    let [run, longest] = [0, 0];
    for (const sample of this.#part(fromMs, toMs)) {
      run = Math.abs(sample) < 64 ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest / SAMPLES_PER_MS;
  }

  #part(fromMs: number, toMs: number): Int16Array {
    return this.pcm.subarray(fromMs * SAMPLES_PER_MS, toMs * SAMPLES_PER_MS);
  }
}

/** Reads what `call --record` wrote. */
export function readRecording(path: string): { caller: Side; bot: Side } {
  const { channels, sampleRate } = decodeWav(readFileSync(path));
  const [caller, bot] = channels;
  if (sampleRate !== 8_000 || !caller || !bot) throw new Error('a recording is stereo at 8000 Hz');
  return { caller: new Side(caller), bot: new Side(bot) };
}

/** Short enough that a machine which held the sound back for a moment spoils few of them. */
const PIECE_MS = 100;
/** Least normalised correlation of a piece with its like; 1 for an exact copy. */
const SAME = 0.98;

/**
 * How much of the audible part of `sent` came back in `returned`, each piece by itself up to `maxDelayMs` later, as a share
 * of 1; and the delay of the middle one of those that did.
 */
export function returnedShare(sent: Int16Array, returned: Int16Array, maxDelayMs: number) {
  const size = PIECE_MS * SAMPLES_PER_MS;
  const starts = Array.from({ length: Math.floor(sent.length / size) }, (_, n) => n * size);
  const audible = starts.filter((start) => levelDb(sent.subarray(start, start + size)) > AUDIBLE_DB);
  const delays = audible
    .map((start) => delayOf(sent.subarray(start, start + size), returned.subarray(start), maxDelayMs * SAMPLES_PER_MS))
    .filter((delay) => delay !== undefined)
    .toSorted((a, b) => a - b);
  const median = delays[Math.floor(delays.length / 2)];
  return { share: delays.length / audible.length, delayMs: median && median / SAMPLES_PER_MS };
}

/** The first delay, in samples, at which `sound` has a piece like this one; undefined when it has none. */
function delayOf(piece: Int16Array, sound: Int16Array, maxDelay: number): number | undefined {
  for (let delay = 0; delay <= Math.min(maxDelay, sound.length - piece.length); delay += 1) {
    let [product, energy, otherEnergy] = [0, 0, 0];
    for (let n = 0; n < piece.length; n += 1) {
      const a = piece[n] as number;
      const b = sound[n + delay] as number;
      product += a * b;
      energy += a * a;
      otherEnergy += b * b;
    }
    if (product > 0 && product >= SAME * Math.sqrt(energy * otherEnergy)) return delay;
  }
  return undefined;
}
