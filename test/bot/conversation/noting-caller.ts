import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import { murmur } from '../../../src/sandbox/network/prompt-audio.js';
import { until } from '../../e2e/processes.js';
import type { FakeCaller, PhoneEvent } from '../../sandbox/fake-caller.js';

const FRAME_BYTES = 160;
const FRAME_MS = 20;
const SILENCE = new Uint8Array(FRAME_BYTES).fill(0xff);
/** Speech on a telephone line is well above, its noise well below. In dBFS. */
const AUDIBLE_DB = -45;
/** Two recordings are compared by their level over so many frames: the same sound may come a frame or two later. */
const SMOOTH_FRAMES = 5;
/** They are compared part by part, each of so many frames, and each may be moved by so many against the one before. */
const PART_FRAMES = 30;
const MOST_DRIFT_FRAMES = 12;
/** Quiet that ends what is being said, in milliseconds: a busy machine makes pauses, too. */
const PAUSE_MS = 800;

/** Somebody on the telephone who notes what they hear, frame by frame. Times count from the first frame of the call. */
export class NotingCaller implements AsyncDisposable {
  /** Level of every 20 ms that was heard, in dBFS. */
  readonly levels: number[] = [];
  /** When each of them came, in milliseconds since the epoch. */
  readonly arrivals: number[] = [];
  /** The call was answered then. */
  answeredMs = 0;
  /** When the caller last said something: its end. */
  lastWordMs: number | undefined;
  /** For every 20 ms, whether the caller spoke. */
  readonly #spoke: boolean[] = [];
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

  /** How long the caller neither spoke nor heard anything at a time, at most, between `fromMs` and `toMs`. */
  longestSilenceMs(fromMs: number, toMs = this.heardMs): number {
    let [run, longest] = [0, 0];
    for (let frame = fromMs / FRAME_MS; frame < toMs / FRAME_MS; frame += 1) {
      const isQuiet = (this.levels[frame] as number) <= AUDIBLE_DB && !this.#spoke[frame];
      run = isQuiet ? run + FRAME_MS : 0;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /**
   * Where this recording is heard, and how like it that is: the correlation of their levels, 1 for the same. Pauses do not
   * count, and parts may lie a little apart: a busy machine adds silence, and a room fills it with more of the same.
   * @param recording 8000 Hz
   */
  find(recording: Int16Array): { readonly atMs: number; readonly likeness: number } {
    const audible = this.levels.flatMap((level, frame) => (level > AUDIBLE_DB ? [{ level, frame }] : []));
    const heard = smooth(audible.map(({ level }) => level));
    const sought = smooth(levelsOf(recording).filter((level) => level > AUDIBLE_DB));
    let best = { atMs: 0, likeness: -1 };
    for (let at = 0; at + sought.length <= heard.length; at += 1) {
      const { first, likeness } = likenessAt(heard, at, sought);
      if (likeness > best.likeness) best = { atMs: (audible[first]?.frame ?? 0) * FRAME_MS, likeness };
    }
    return best;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.phone[Symbol.asyncDispose]();
  }

  #exchange(heard: Uint8Array): Uint8Array {
    this.levels.push(levelDb(decodeMulaw(heard)));
    this.arrivals.push(Date.now());
    const said = this.#saying.shift() ?? SILENCE;
    const speaks = levelDb(decodeMulaw(said)) > AUDIBLE_DB;
    this.#spoke.push(speaks);
    if (speaks) this.lastWordMs = this.heardMs;
    return said;
  }
}

function levelsOf(pcm: Int16Array): number[] {
  const frames = Math.floor(pcm.length / FRAME_BYTES);
  return Array.from({ length: frames }, (_, n) => levelDb(pcm.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES)));
}

function smooth(levels: readonly number[]): number[] {
  return levels.map((_, n) => {
    const near = levels.slice(Math.max(0, n - SMOOTH_FRAMES + 1), n + 1);
    return near.reduce((sum, level) => sum + level, 0) / near.length;
  });
}

/** How like `sought` is what begins near `start`: the mean of its parts, each where it fits best, and where the first one does. */
function likenessAt(heard: readonly number[], start: number, sought: readonly number[]) {
  let at = start;
  let first = start;
  let sum = 0;
  const parts = Math.floor(sought.length / PART_FRAMES);
  for (let part = 0; part < parts; part += 1) {
    const wanted = sought.slice(part * PART_FRAMES, (part + 1) * PART_FRAMES);
    let best = { shift: 0, likeness: -1 };
    for (let shift = -MOST_DRIFT_FRAMES; shift <= MOST_DRIFT_FRAMES; shift += 1) {
      const found = heard.slice(at + shift, at + shift + PART_FRAMES);
      const likeness = at + shift >= 0 && found.length === PART_FRAMES ? correlation(wanted, found) : -1;
      if (likeness > best.likeness) best = { shift, likeness };
    }
    if (part === 0) first = at + best.shift;
    at += best.shift + PART_FRAMES;
    sum += best.likeness;
  }
  return { first, likeness: sum / parts };
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
