import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { FRAME_MS } from '../audio/frame.js';
import { makeFolder, writeAll } from './disk-writes.js';
import { blocksIn, headerOf, WAV_BLOCK_BYTES, WAV_HEADER_BYTES } from './wav-header.js';

export interface WavFileOptions {
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** How much is written at once, in milliseconds. */
  readonly pageMs: number;
  /** How much can still be changed, in milliseconds. What is kept and the page are lost in a crash. */
  readonly keptMs: number;
}

/** What any of the files writes next: the left sample in the lower and the right one in the upper half, as a file has them. */
let interleaved = new Int32Array();

/**
 * A stereo file of 16-bit PCM that is written page by page at any position. Several processes may write to it, one after the other.
 * A block is what stands at one moment in both sides. The first page makes the file; what writes throws the system's error.
 */
export class WavFile {
  readonly #keptBlocks: number;
  readonly #left: Int16Array;
  readonly #right: Int16Array;
  #filled = 0;
  /** Where the page ends: the first one early, so that calls that begin together write at different moments. */
  #pageEnd: number;
  /** Blocks before the page. */
  #pageAt = 0;
  #fd: number | undefined;

  constructor(private readonly options: WavFileOptions) {
    const { sampleRate, pageMs, keptMs } = options;
    const pageBlocks = Math.round((sampleRate * pageMs) / 1_000);
    this.#keptBlocks = Math.round((sampleRate * keptMs) / 1_000);
    this.#left = new Int16Array(pageBlocks + this.#keptBlocks);
    this.#right = new Int16Array(pageBlocks + this.#keptBlocks);
    const frame = (sampleRate * FRAME_MS) / 1_000;
    this.#pageEnd = Math.ceil((pageBlocks * (0.5 + Math.random() / 2)) / frame) * frame + this.#keptBlocks;
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
      put(this.#left, this.#filled, left, done, some);
      put(this.#right, this.#filled, right, done, some);
      this.#filled += some;
      done += some;
      if (this.#filled === this.#pageEnd) this.#writePage(this.#filled - this.#keptBlocks);
    }
  }

  /**
   * Moves what stands on the right from `from` up to `to`, of which all can be changed, `by` blocks on; silence takes its place.
   * @returns what would come behind the end
   */
  moveRight(from: number, to: number, by: number): Int16Array {
    const first = from - this.#pageAt;
    const end = Math.max(first, to - this.#pageAt);
    const moved = this.#right.slice(first, end);
    this.#right.fill(0, first, end);
    const fits = Math.max(0, Math.min(moved.length, this.#filled - by - first));
    this.setRight(from + by, moved.subarray(0, fits));
    return moved.subarray(fits);
  }

  /** Writes over what stands on the right, where that can be changed. */
  setRight(from: number, right: Int16Array): void {
    const first = from - this.#pageAt;
    const changed = right.subarray(Math.max(0, -first), Math.max(0, this.#filled - first));
    if (changed.length > 0) this.#right.set(changed, Math.max(0, first));
  }

  /** Passes over a stretch: it keeps what is there, and is silent where nothing is. */
  skip(blocks: number): void {
    this.flush();
    this.#pageAt += blocks;
  }

  /** Writes what was added so far. */
  flush(): void {
    if (this.#filled > 0) this.#writePage(this.#filled);
  }

  /** The same, at the end: the header tells how much there is. */
  finish(): void {
    this.flush();
    if (this.#fd !== undefined) this.#writeHeader(this.#fd, blocksIn(fstatSync(this.#fd).size));
  }

  /** Lets go of the file. */
  release(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  /** Writes the first blocks of the page; the others stand at the beginning of the next one. */
  #writePage(blocks: number): void {
    this.#fd ??= this.#open();
    writeAll(this.#fd, this.#interleaved(blocks), WAV_HEADER_BYTES + this.#pageAt * WAV_BLOCK_BYTES);
    this.#left.copyWithin(0, blocks, this.#filled);
    this.#right.copyWithin(0, blocks, this.#filled);
    this.#filled -= blocks;
    this.#pageAt += blocks;
    this.#pageEnd = this.#left.length;
  }

  #interleaved(blocks: number): Uint8Array {
    if (interleaved.length < blocks) interleaved = new Int32Array(this.#left.length);
    const [both, left, right] = [interleaved, this.#left, this.#right];
    for (let i = 0; i < blocks; i += 1) both[i] = ((left[i] as number) & 0xffff) | ((right[i] as number) << 16);
    return new Uint8Array(both.buffer, 0, blocks * WAV_BLOCK_BYTES);
  }

  /** An earlier bot of the call may have written to it. */
  #open(): number {
    const { path, sampleRate } = this.options;
    makeFolder(dirname(path));
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#fd = fd;
    const header = Buffer.alloc(WAV_HEADER_BYTES);
    const hasHeader =
      readSync(fd, header, 0, WAV_HEADER_BYTES, 0) === WAV_HEADER_BYTES && header.toString('latin1', 0, 4) === 'RIFF';
    const rate = hasHeader ? header.readUInt32LE(24) : sampleRate;
    if (rate !== sampleRate) throw new Error(`${path} has ${rate} Hz, and not ${sampleRate} Hz`);
    this.#writeHeader(fd, 'unknown');
    return fd;
  }

  #writeHeader(fd: number, blocks: number | 'unknown'): void {
    writeAll(fd, headerOf(blocks, this.options.sampleRate), 0);
  }
}

function put(side: Int16Array, at: number, pcm: Int16Array | undefined, from: number, samples: number): void {
  if (!pcm) side.fill(0, at, at + samples);
  else if (from === 0 && samples === pcm.length) side.set(pcm, at);
  else side.set(pcm.subarray(from, from + samples), at);
}
