import { levelDb } from '../../src/audio/level.js';
import { decodeMulaw } from '../../src/audio/mulaw.js';
import { murmur } from '../../src/sandbox/prompt-audio.js';
import { until } from '../e2e/processes.js';
import type { FakeCaller, PhoneEvent } from '../sandbox/fake-caller.js';

const FRAME_BYTES = 160;
const FRAME_MS = 20;
/** Speech on a telephone line is well above, its noise well below. In dBFS. */
const AUDIBLE_DB = -45;
/** Lower levels count as this one when two recordings are compared, in dBFS. */
const FLOOR_DB = -60;
/** Two recordings are compared by their level over so many frames: the same sound may come a frame or two later. */
const SMOOTH_FRAMES = 5;
/** Quiet that ends what is being said, in milliseconds. */
const PAUSE_MS = 500;

/** Somebody on the telephone who notes what they hear, frame by frame. Times count from the first frame of the call. */
export class NotingCaller implements AsyncDisposable {
  /** Level of every 20 ms that was heard, in dBFS. */
  readonly levels: number[] = [];
  /** When each of them came, in milliseconds since the epoch. */
  readonly arrivals: number[] = [];
  /** When the caller last said something: its end. */
  lastWordMs = 0;
  #saying: Uint8Array[] = [];

  constructor(readonly phone: FakeCaller) {
    phone.says = () => this.#exchange(phone.heard.all.at(-1) as Uint8Array);
  }

  get heardMs(): number {
    return this.levels.length * FRAME_MS;
  }

  get hasEnded(): boolean {
    return this.phone.events.all.some(({ type }: PhoneEvent) => type === 'ended');
  }

  /** Says something for `words` times 240 ms. Resolves when it has been said. */
  async says(words = 5): Promise<void> {
    const audio = murmur('word '.repeat(words));
    for (let at = 0; at + FRAME_BYTES <= audio.length; at += FRAME_BYTES) {
      this.#saying.push(audio.subarray(at, at + FRAME_BYTES));
    }
    await until(() => this.#saying.length === 0 || this.hasEnded, 'the caller has spoken');
  }

  /** Resolves when something is heard from now on. @returns when */
  async hears(limitMs = 15_000): Promise<number> {
    const from = this.levels.length;
    const find = () => this.levels.findIndex((level, n) => n >= from && level > AUDIBLE_DB);
    await until(() => find() >= 0, 'the bot is heard', limitMs);
    return find() * FRAME_MS;
  }

  /** Listens to what the bot says next, or is saying, to its end. */
  async hearsOut(): Promise<void> {
    await this.hears();
    const isQuiet = () => this.levels.slice(-PAUSE_MS / FRAME_MS).every((level) => level <= AUDIBLE_DB);
    await until(isQuiet, 'the bot has finished', 30_000);
  }

  async ended(limitMs = 40_000): Promise<void> {
    await until(() => this.hasEnded, 'the call has ended', limitMs);
  }

  /** How long nothing was heard at a time, at most, between `fromMs` and `toMs`. */
  longestSilenceMs(fromMs: number, toMs = this.heardMs): number {
    let [run, longest] = [0, 0];
    for (const level of this.levels.slice(fromMs / FRAME_MS, toMs / FRAME_MS)) {
      run = level > AUDIBLE_DB ? 0 : run + FRAME_MS;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /**
   * Where this recording is heard, and how like it that is: the correlation of their levels, 1 for the same.
   * @param recording 8000 Hz
   */
  find(recording: Int16Array): { readonly atMs: number; readonly likeness: number } {
    const sought = smooth(levelsOf(recording));
    const heard = smooth(this.levels);
    let best = { atMs: 0, likeness: -1 };
    for (let at = 0; at + sought.length <= heard.length; at += 1) {
      const likeness = correlation(sought, heard.slice(at, at + sought.length));
      if (likeness > best.likeness) best = { atMs: at * FRAME_MS, likeness };
    }
    return best;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.phone[Symbol.asyncDispose]();
  }

  #exchange(heard: Uint8Array): Uint8Array {
    this.levels.push(levelDb(decodeMulaw(heard)));
    this.arrivals.push(Date.now());
    const said = this.#saying.shift();
    if (!said) return new Uint8Array(FRAME_BYTES).fill(0xff);
    if (levelDb(decodeMulaw(said)) > AUDIBLE_DB) this.lastWordMs = this.heardMs;
    return said;
  }
}

function levelsOf(pcm: Int16Array): number[] {
  const frames = Math.floor(pcm.length / FRAME_BYTES);
  return Array.from({ length: frames }, (_, n) => levelDb(pcm.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES)));
}

function smooth(levels: readonly number[]): number[] {
  const clamped = levels.map((level) => Math.max(FLOOR_DB, level));
  return clamped.map((_, n) => {
    const near = clamped.slice(Math.max(0, n - SMOOTH_FRAMES + 1), n + 1);
    return near.reduce((sum, level) => sum + level, 0) / near.length;
  });
}

/** Pearson's, of two lists of the same length. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [product, squareA, squareB] = [0, 0, 0];
  for (const [n, x] of a.entries()) {
    const [dA, dB] = [x - meanA, (b[n] as number) - meanB];
    product += dA * dB;
    squareA += dA * dA;
    squareB += dB * dB;
  }
  return squareA * squareB === 0 ? 0 : product / Math.sqrt(squareA * squareB);
}
