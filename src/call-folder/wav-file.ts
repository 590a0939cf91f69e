import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FRAME_MS } from '../audio/frame.js';
import { encodeWav } from '../audio/wav.js';
import { type DiskQueue, writeAll } from './disk-queue.js';
import { makeFolder } from './make-folder.js';

/** Of the header that {@link WavFile} writes. */
export const WAV_HEADER_BYTES = 44;
/** Both sides of one moment, 16 bits each. */
export const WAV_BLOCK_BYTES = 4;
/** A disk that has not taken a page by the time there are so many is too slow. */
const MAX_PAGES = 16;
/** What the size fields of the format can say at most. */
const MAX_SIZE = 0xffff_ffff;

export interface WavFileOptions {
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** How much is written at once, in milliseconds. */
  readonly pageMs: number;
  /** How much can still be changed, in milliseconds. What is kept and the page are lost in a crash. */
  readonly keptMs: number;
  readonly disk: DiskQueue;
  /** Called once; nothing is written after it. */
  onFailed(error: Error): void;
}

/** A stereo file of 16-bit PCM that is written page by page at any position. Several processes may write to it, one after the other. */
export class WavFile {
  readonly #pageBlocks: number;
  readonly #keptBlocks: number;
  /** A block is the left sample in the lower and the right one in the upper half, as the file has them. */
  #page: Int32Array;
  #filled = 0;
  /** Where the page ends: the first one early, so that calls that begin together write at different moments. */
  #pageEnd: number;
  /** Blocks before the page. */
  #pageAt = 0;
  readonly #free: Int32Array[] = [];
  #waiting = 0;
  #file: FileHandle | undefined;
  /** Blocks that the header tells of. */
  #toldBlocks = 0;
  #isFailed = false;

  constructor(private readonly options: WavFileOptions) {
    this.#pageBlocks = Math.round((options.sampleRate * options.pageMs) / 1_000);
    this.#keptBlocks = Math.round((options.sampleRate * options.keptMs) / 1_000);
    this.#page = new Int32Array(this.#pageBlocks + this.#keptBlocks);
    const frame = (options.sampleRate * FRAME_MS) / 1_000;
    this.#pageEnd = Math.ceil((this.#pageBlocks * (0.5 + Math.random() / 2)) / frame) * frame + this.#keptBlocks;
  }

  /** From there on what was written can be changed. */
  get changeableFrom(): number {
    return this.#pageAt;
  }

  /** Blocks written so far, or passed over. */
  get position(): number {
    return this.#pageAt + this.#filled;
  }

  /** Adds what stands at `from` in both sides; a side that is missing is silent. */
  write(left: Int16Array | undefined, right: Int16Array | undefined, from: number, blocks: number): void {
    for (let done = 0; done < blocks; ) {
      const some = Math.min(blocks - done, this.#pageEnd - this.#filled);
      this.#fill(left, right, from + done, some);
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
    const page = this.#page;
    const [first, end] = [from - this.#pageAt, to - this.#pageAt];
    const right = Int16Array.from(page.subarray(first, end), (block) => block >> 16);
    const fits = Math.max(0, Math.min(right.length, this.#filled - by - first));
    for (let i = first; i < Math.min(end, this.#filled); i += 1) page[i] = (page[i] as number) & 0xffff;
    this.setRight(from + by, right.subarray(0, fits));
    return right.subarray(fits);
  }

  /** Writes over what stands on the right, where that can be changed. */
  setRight(from: number, right: Int16Array): void {
    const page = this.#page;
    const first = from - this.#pageAt;
    for (let i = Math.max(0, -first); i < right.length && first + i < this.#filled; i += 1) {
      page[first + i] = ((page[first + i] as number) & 0xffff) | ((right[i] as number) << 16);
    }
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
    await this.#letGo();
    this.#isFailed = true;
  }

  async #letGo(): Promise<void> {
    await this.options.disk.run(async () => this.#file?.close()).catch(() => {}); // what it had taken is there
  }

  #fill(left: Int16Array | undefined, right: Int16Array | undefined, from: number, blocks: number): void {
    const page = this.#page;
    const at = this.#filled;
    if (left && right) {
      for (let i = 0; i < blocks; i += 1) {
        page[at + i] = ((left[from + i] as number) & 0xffff) | ((right[from + i] as number) << 16);
      }
    } else if (left) for (let i = 0; i < blocks; i += 1) page[at + i] = (left[from + i] as number) & 0xffff;
    else if (right) for (let i = 0; i < blocks; i += 1) page[at + i] = (right[from + i] as number) << 16;
    else page.fill(0, at, at + blocks);
  }

  /** Has the first blocks of the page written; the others go to the next page. */
  #send(blocks: number): void {
    const page = this.#page;
    const at = this.#pageAt;
    this.#page = this.#free.pop() ?? new Int32Array(page.length);
    this.#page.set(page.subarray(blocks, this.#filled));
    this.#filled -= blocks;
    this.#pageAt += blocks;
    this.#pageEnd = page.length;
    if (this.#isFailed) this.#free.push(page);
    else this.#queue(page, blocks, at);
  }

  #queue(page: Int32Array, blocks: number, at: number): void {
    this.#waiting += 1;
    this.options.disk
      .run(() => this.#put(page, blocks, at))
      .catch((error: Error) => this.#fail(error))
      .finally(() => {
        this.#waiting -= 1;
        this.#free.push(page);
      });
    if (this.#waiting >= MAX_PAGES) this.#fail(new Error('the disk is too slow'));
  }

  async #put(page: Int32Array, blocks: number, at: number): Promise<void> {
    if (this.#isFailed) return;
    this.#file ??= await this.#open();
    const { fd } = this.#file;
    await writeAll(
      fd,
      new Uint8Array(page.buffer, 0, blocks * WAV_BLOCK_BYTES),
      WAV_HEADER_BYTES + at * WAV_BLOCK_BYTES,
    );
    if (at + blocks <= this.#toldBlocks) return;
    this.#toldBlocks = at + blocks;
    await writeAll(fd, headerOf(this.#toldBlocks, this.options.sampleRate), 0);
  }

  /** An earlier bot of the call may have written to it. */
  async #open(): Promise<FileHandle> {
    const { path, sampleRate } = this.options;
    await makeFolder(dirname(path));
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(WAV_HEADER_BYTES), 0, WAV_HEADER_BYTES, 0);
      const hasHeader = bytesRead === WAV_HEADER_BYTES && buffer.toString('latin1', 0, 4) === 'RIFF';
      const rate = hasHeader ? buffer.readUInt32LE(24) : sampleRate;
      if (rate !== sampleRate) throw new Error(`${path} has ${rate} Hz, and not ${sampleRate} Hz`);
      const { size } = await file.stat();
      this.#toldBlocks = Math.max(0, Math.floor((size - WAV_HEADER_BYTES) / WAV_BLOCK_BYTES));
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  #fail(error: Error): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    void this.#letGo();
    this.options.onFailed(error);
  }
}

/** The header of a file with so many blocks. */
export function headerOf(blocks: number, sampleRate: number): Uint8Array {
  const nothing = new Int16Array();
  const header = Buffer.from(encodeWav({ sampleRate, channels: [nothing, nothing], encoding: 'L16' }));
  const bytes = blocks * WAV_BLOCK_BYTES;
  header.writeUInt32LE(Math.min(bytes + WAV_HEADER_BYTES - 8, MAX_SIZE), 4);
  header.writeUInt32LE(Math.min(bytes, MAX_SIZE), 40);
  return header;
}
