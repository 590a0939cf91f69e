import { FRAME_MS } from '../audio/frame.js';
import { pageBytes } from './disk-job.js';
import { closeFile, type Disk, fileNumber } from './disk-thread.js';

/** A disk that has not taken a page by the time so many wait for it is too slow. */
const MAX_WAITING = 16;

export interface WavFileOptions {
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** How much is written at once, in milliseconds. */
  readonly pageMs: number;
  /** How much can still be changed, in milliseconds. What is kept and the page are lost in a crash. */
  readonly keptMs: number;
  readonly disk: Disk;
  /** Called once; nothing is written after it. */
  onFailed(error: Error): void;
}

/** Both sides, one after the other in memory that the thread that writes shares. */
interface Page {
  readonly number: number;
  readonly left: Int16Array;
  readonly right: Int16Array;
}

/**
 * A stereo file of 16-bit PCM that is written page by page at any position. Several processes may write to it, one after the other.
 * A block is what stands at one moment in both sides.
 */
export class WavFile {
  readonly #pageBlocks: number;
  readonly #keptBlocks: number;
  readonly #pages: SharedArrayBuffer;
  /** Numbers of pages. */
  readonly #free = Array.from({ length: MAX_WAITING + 1 }, (_, number) => number);
  #page: Page;
  #filled = 0;
  /** Where the page ends: the first one early, so that calls that begin together write at different moments. */
  #pageEnd: number;
  /** Blocks before the page. */
  #pageAt = 0;
  readonly #number = fileNumber();
  #isFailed = false;

  constructor(private readonly options: WavFileOptions) {
    const { disk, path, sampleRate, pageMs, keptMs } = options;
    this.#pageBlocks = Math.round((sampleRate * pageMs) / 1_000);
    this.#keptBlocks = Math.round((sampleRate * keptMs) / 1_000);
    const frame = (sampleRate * FRAME_MS) / 1_000;
    this.#pageEnd = Math.ceil((this.#pageBlocks * (0.5 + Math.random() / 2)) / frame) * frame + this.#keptBlocks;
    this.#pages = new SharedArrayBuffer(this.#free.length * pageBytes(this.#pageLength));
    this.#page = this.#takePage();
    const pages = { pages: this.#pages, pageLength: this.#pageLength };
    disk.run({ do: 'open_audio', file: this.#number, path, sampleRate, ...pages }).catch(() => {}); // the first page tells
  }

  /** From there on what was written can be changed. */
  get changeableFrom(): number {
    return this.#pageAt;
  }

  /** Blocks written so far, or passed over. */
  get position(): number {
    return this.#pageAt + this.#filled;
  }

  /** Adds so many blocks, of which a side that is missing is silent. */
  write(left: Int16Array | undefined, right: Int16Array | undefined, blocks: number): void {
    for (let done = 0; done < blocks; ) {
      const some = Math.min(blocks - done, this.#pageEnd - this.#filled);
      put(this.#page.left, this.#filled, left, done, some);
      put(this.#page.right, this.#filled, right, done, some);
      this.#filled += some;
      done += some;
      if (this.#filled === this.#pageEnd) this.#send(this.#filled - this.#keptBlocks);
    }
  }

  /**
   * Moves what stands on the right from `from` up to `to`, of which all can be changed, `by` blocks on; silence takes its place.
   * @returns what would come behind the end
   */
  moveRight(from: number, to: number, by: number): Int16Array {
    const first = from - this.#pageAt;
    const end = Math.max(first, to - this.#pageAt);
    const moved = this.#page.right.slice(first, end);
    this.#page.right.fill(0, first, end);
    const fits = Math.max(0, Math.min(moved.length, this.#filled - by - first));
    this.setRight(from + by, moved.subarray(0, fits));
    return moved.subarray(fits);
  }

  /** Writes over what stands on the right, where that can be changed. */
  setRight(from: number, right: Int16Array): void {
    const first = from - this.#pageAt;
    const changed = right.subarray(Math.max(0, -first), Math.max(0, this.#filled - first));
    if (changed.length > 0) this.#page.right.set(changed, Math.max(0, first));
  }

  /** Passes over a stretch: it keeps what is there, and is silent where nothing is. */
  skip(blocks: number): void {
    this.flush();
    this.#pageAt += blocks;
  }

  /** Has what was added so far written. */
  flush(): void {
    if (this.#filled > 0) this.#send(this.#filled);
  }

  /** Resolves when everything is written, or nothing more can be. */
  async close(): Promise<void> {
    this.flush();
    await closeFile(this.options.disk, this.#number);
    this.#isFailed = true;
  }

  get #pageLength(): number {
    return this.#pageBlocks + this.#keptBlocks;
  }

  /** One is always free: see {@link #queue}. */
  #takePage(): Page {
    const number = this.#free.pop() as number;
    const length = this.#pageLength;
    const left = new Int16Array(this.#pages, number * pageBytes(length), length);
    return { number, left, right: new Int16Array(this.#pages, left.byteOffset + left.byteLength, length) };
  }

  /** Has the first blocks of the page written; the others go to the next page. */
  #send(blocks: number): void {
    const [page, at, filled] = [this.#page, this.#pageAt, this.#filled];
    this.#page = this.#takePage();
    this.#page.left.set(page.left.subarray(blocks, filled));
    this.#page.right.set(page.right.subarray(blocks, filled));
    this.#filled -= blocks;
    this.#pageAt += blocks;
    this.#pageEnd = this.#pageLength;
    if (this.#isFailed) this.#free.push(page.number);
    else this.#queue(page.number, blocks, at);
  }

  #queue(page: number, blocks: number, at: number): void {
    this.options.disk
      .run({ do: 'write_page', file: this.#number, page, at, blocks })
      .catch((error: Error) => this.#fail(error))
      .finally(() => this.#free.push(page));
    if (this.#free.length <= 1) this.#fail(new Error('the disk is too slow'));
  }

  #fail(error: Error): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    void closeFile(this.options.disk, this.#number);
    this.options.onFailed(error);
  }
}

function put(side: Int16Array, at: number, pcm: Int16Array | undefined, from: number, samples: number): void {
  if (!pcm) side.fill(0, at, at + samples);
  else if (from === 0 && samples === pcm.length) side.set(pcm, at);
  else side.set(pcm.subarray(from, from + samples), at);
}
