import type { CallPeaks } from '../../call/call-peaks.js';
import { WAV_BLOCK_BYTES, WAV_HEADER_BYTES } from '../../call/folder/wav-file.js';
import { openRecording, type RecordingFile } from './recorded-audio.js';

/** What a piece that is kept covers, in milliseconds. */
const PIECE_MS = 10;
const READ_BYTES = 256 * 1_024;
/** Recordings whose peaks are kept: an hour takes 3 MB. */
const MAX_KEPT = 4;
/** Of a piece: the lowest and highest sample of the caller, and of the bot. */
const VALUES = 4;

/** The peaks of recordings; of one that grows, what was read once is not read again. */
export class PeakReader {
  readonly #recordings = new Map<string, Promise<RecordingPeaks>>();

  /**
   * @param path of a recording
   * @param count how many pieces there are to be, at most
   * @returns undefined when there is no recording
   */
  async read(path: string, count: number): Promise<CallPeaks | undefined> {
    const recording = await openRecording(path);
    if (!recording) return undefined;
    try {
      const before = this.#recordings.get(path) ?? Promise.resolve(new RecordingPeaks());
      // One after the other: each goes on where the one before has stopped.
      const now = before.then((peaks) => peaks.goOn(recording));
      this.#recordings.delete(path);
      this.#recordings.set(
        path,
        now.catch(() => new RecordingPeaks()),
      );
      const [oldest] = this.#recordings.keys();
      if (this.#recordings.size > MAX_KEPT && oldest !== undefined) this.#recordings.delete(oldest);
      return (await now).inPieces(count);
    } finally {
      await recording.file.close();
    }
  }
}

class RecordingPeaks {
  #values = new Int16Array(VALUES * 1_024);
  /** Blocks that have been read. */
  #blocks = 0;
  #sampleRate = 0;

  async goOn({ file, sampleRate, blocks }: RecordingFile): Promise<this> {
    // Another file in the place of the one before.
    if (sampleRate !== this.#sampleRate || blocks < this.#blocks) this.#blocks = 0;
    this.#sampleRate = sampleRate;
    this.#makeRoom(blocks);
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    while (this.#blocks < blocks) {
      const length = Math.min(READ_BYTES, (blocks - this.#blocks) * WAV_BLOCK_BYTES);
      const { bytesRead } = await file.read(buffer, 0, length, WAV_HEADER_BYTES + this.#blocks * WAV_BLOCK_BYTES);
      if (bytesRead < WAV_BLOCK_BYTES) break;
      this.#add(buffer, Math.floor(bytesRead / WAV_BLOCK_BYTES));
    }
    return this;
  }

  inPieces(wanted: number): CallPeaks {
    const kept = Math.ceil(this.#blocks / this.#perPiece);
    const count = Math.min(wanted, kept);
    const sides = [0, 2].map((first) => {
      const values: number[] = [];
      for (let piece = 0; piece < count; piece += 1) {
        let [low, high] = [0, 0];
        const end = Math.floor(((piece + 1) * kept) / count);
        for (let each = Math.floor((piece * kept) / count); each < end; each += 1) {
          low = Math.min(low, this.#values[each * VALUES + first] as number);
          high = Math.max(high, this.#values[each * VALUES + first + 1] as number);
        }
        values.push(shortened(low), shortened(high));
      }
      return values;
    });
    const [left = [], right = []] = sides;
    return { version: 1, durationMs: (this.#blocks * 1_000) / (this.#sampleRate || 1), left, right };
  }

  get #perPiece(): number {
    return Math.round((this.#sampleRate * PIECE_MS) / 1_000);
  }

  #makeRoom(blocks: number): void {
    const needed = Math.ceil(blocks / this.#perPiece) * VALUES;
    if (needed <= this.#values.length) return;
    const values = new Int16Array(needed * 2);
    values.set(this.#values);
    this.#values = values;
  }

  #add(buffer: Buffer, blocks: number): void {
    const perPiece = this.#perPiece;
    const values = this.#values;
    for (let block = 0; block < blocks; block += 1) {
      const at = Math.floor((this.#blocks + block) / perPiece) * VALUES;
      if ((this.#blocks + block) % perPiece === 0) values.fill(0, at, at + VALUES);
      const left = buffer.readInt16LE(block * WAV_BLOCK_BYTES);
      const right = buffer.readInt16LE(block * WAV_BLOCK_BYTES + 2);
      if (left < (values[at] as number)) values[at] = left;
      else if (left > (values[at + 1] as number)) values[at + 1] = left;
      if (right < (values[at + 2] as number)) values[at + 2] = right;
      else if (right > (values[at + 3] as number)) values[at + 3] = right;
    }
    this.#blocks += blocks;
  }
}

const shortened = (sample: number): number => Math.round((sample / 32_768) * 1_000) / 1_000;
