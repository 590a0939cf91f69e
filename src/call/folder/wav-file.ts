import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { FRAME_MS } from '../../base/audio/frame.js';
import { encodeWav } from '../../base/audio/wav.js';
import { makeFolder, writeAll } from './disk-writes.js';

/** Of the header that {@link headerOf} makes. */
export const WAV_HEADER_BYTES = 44;
/** Both sides of one moment, 16 bits each. */
export const WAV_BLOCK_BYTES = 4;
/** What the sample rate is taken for where the header does not tell, in hertz. */
export const DEFAULT_RATE = 8_000;
/** What the size fields of the format can say at most. */
const MAX_SIZE = 0xffff_ffff;

/** How many blocks a file of so many bytes holds, whatever its header tells. */
export const blocksIn = (size: number): number => Math.max(0, Math.floor((size - WAV_HEADER_BYTES) / WAV_BLOCK_BYTES));

/**
 * The header of a stereo file with so many blocks. @param sampleRate hertz
 * @param blocks `unknown`: until the file ends, as programs that write to a pipe say it and those that read understand it
 */
export function headerOf(blocks: number | 'unknown', sampleRate: number): Buffer {
  const nothing = new Int16Array();
  const header = Buffer.from(encodeWav({ sampleRate, channels: [nothing, nothing], encoding: 'L16' }));
  const bytes = blocks === 'unknown' ? MAX_SIZE : blocks * WAV_BLOCK_BYTES;
  header.writeUInt32LE(Math.min(bytes + WAV_HEADER_BYTES - 8, MAX_SIZE), 4);
  header.writeUInt32LE(Math.min(bytes, MAX_SIZE), 40);
  return header;
}

/** How many blocks a header of {@link headerOf} tells of. */
export function blocksToldBy(header: Buffer): number | 'unknown' {
  const bytes = header.readUInt32LE(40);
  return bytes === MAX_SIZE ? 'unknown' : Math.floor(bytes / WAV_BLOCK_BYTES);
}

export interface WavFileOptions {
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** How much is written at once, in milliseconds. */
  readonly pageMs: number;
  /** How much can still be changed, in milliseconds. What is kept and the page are lost in a crash. */
  readonly keptMs: number;
}

/** Of a block. */
const LEFT = 0xffff;

/**
 * A stereo file of 16-bit PCM that is written page by page at any position. Several processes may write to it, one after the other.
 * A block is what stands at one moment in both sides. The first page makes the file; what writes throws the system's error.
 */
export class WavFile {
  readonly #keptBlocks: number;
  /** A block each, as the file has it: the left sample in the lower and the right one in the upper half. */
  readonly #page: Int32Array;
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
    this.#page = new Int32Array(pageBlocks + this.#keptBlocks);
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
      this.#put(left, right, done, some);
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
    const moved = new Int16Array(end - first);
    for (let i = 0; i < moved.length; i += 1) {
      const block = this.#page[first + i] as number;
      moved[i] = block >> 16;
      this.#page[first + i] = block & LEFT;
    }
    const fits = Math.max(0, Math.min(moved.length, this.#filled - by - first));
    this.setRight(from + by, moved.subarray(0, fits));
    return moved.subarray(fits);
  }

  /** Writes over what stands on the right, where that can be changed. */
  setRight(from: number, right: Int16Array): void {
    const first = from - this.#pageAt;
    const end = Math.min(right.length, this.#filled - first);
    for (let i = Math.max(0, -first); i < end; i += 1) {
      this.#page[first + i] = ((this.#page[first + i] as number) & LEFT) | ((right[i] as number) << 16);
    }
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
    const page = new Uint8Array(this.#page.buffer, 0, blocks * WAV_BLOCK_BYTES);
    writeAll(this.#fd, page, WAV_HEADER_BYTES + this.#pageAt * WAV_BLOCK_BYTES);
    this.#page.copyWithin(0, blocks, this.#filled);
    this.#filled -= blocks;
    this.#pageAt += blocks;
    this.#pageEnd = this.#page.length;
  }

  /** Adds so many blocks, from there on in each side. */
  #put(left: Int16Array | undefined, right: Int16Array | undefined, from: number, blocks: number): void {
    const page = this.#page;
    const end = from + blocks;
    let at = this.#filled;
    this.#filled += blocks;
    if (left && right) {
      for (let i = from; i < end; i += 1, at += 1)
        page[at] = ((left[i] as number) & LEFT) | ((right[i] as number) << 16);
    } else if (left) for (let i = from; i < end; i += 1, at += 1) page[at] = (left[i] as number) & LEFT;
    else if (right) for (let i = from; i < end; i += 1, at += 1) page[at] = (right[i] as number) << 16;
    else page.fill(0, at, at + blocks);
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
