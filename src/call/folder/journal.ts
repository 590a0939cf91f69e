import type { WordTimes } from '../disclosure.js';

/** How often the two clocks of a thread are compared: on a busy machine the thread may stand still between them. */
const COMPARISONS = 5;

const offset = clockOffset();

/** From `performance.now()`, which begins with the thread, to what all threads have; of several comparisons the quickest. */
function clockOffset(): number {
  let best = { tookMs: Number.POSITIVE_INFINITY, offset: 0 };
  for (let n = 0; n < COMPARISONS; n += 1) {
    const before = performance.now();
    const [seconds, nanoseconds] = process.hrtime();
    const tookMs = performance.now() - before;
    if (tookMs < best.tookMs) best = { tookMs, offset: seconds * 1_000 + nanoseconds / 1e6 - before - tookMs / 2 };
  }
  return best.offset;
}

/** Monotonic milliseconds, for all threads of the process the same. */
export const sharedNow = (): number => performance.now() + offset;

/** Where the running numbers of a {@link Journal} are, in 32-bit words. */
const WRITTEN = 0;
const READ = 1;
const BASE = 2;
/** Each entry begins at a multiple of this, in bytes; also the unit of the running numbers. */
const UNIT = 8;
/** Where the first entry is, in units. */
const FIRST = 2;
/** The head of an entry, in units: when it happened, its kind, and how many bytes follow. */
const HEAD = 2;

/** Where the content of an entry is, in bytes. */
export interface JournalEntry {
  kind: number;
  at: number;
  from: number;
  length: number;
}

/**
 * Entries that one thread writes and another one reads, in memory that they share: the writer neither waits nor wakes the reader. Three
 * running numbers, in units, precede the entries: what is written, what is read, and which number stands at the first place. When all
 * is read the writer begins there again, so that little memory is touched.
 */
abstract class Journal {
  protected readonly words: Int32Array;
  protected readonly times: Float64Array;

  constructor(readonly buffer: SharedArrayBuffer) {
    this.words = new Int32Array(buffer);
    this.times = new Float64Array(buffer);
  }
}

export class JournalWriter extends Journal {
  readonly #samples: Int16Array;
  readonly #bytes: Buffer;
  readonly #capacity: number;
  #written: number;
  #base: number;

  /**
   * @param memory of {@link journalSize}; what an earlier journal has left in it is worthless
   * @param first what the running numbers begin with: they go on with the smallest behind the greatest that 32 bits can say
   */
  constructor(memory: SharedArrayBuffer, first = 0) {
    super(memory);
    this.words.fill(first, WRITTEN, BASE + 1);
    this.#written = first;
    this.#base = first;
    this.#capacity = memory.byteLength / UNIT - FIRST;
    this.#samples = new Int16Array(this.buffer);
    this.#bytes = Buffer.from(this.buffer);
  }

  /**
   * @param at when it happens
   * @returns false: too much waits to be read, and nothing was written
   */
  writeSamples(kind: number, at: number, samples: Int16Array): boolean {
    const place = this.#reserve(samples.byteLength);
    if (place < 0) return false;
    this.#samples.set(samples, ((place + HEAD) * UNIT) / Int16Array.BYTES_PER_ELEMENT);
    this.#write(place, kind, at, samples.byteLength);
    return true;
  }

  /** The same. */
  writeText(kind: number, at: number, text: string): boolean {
    const length = Buffer.byteLength(text);
    const place = this.#reserve(length);
    if (place < 0) return false;
    this.#bytes.write(text, (place + HEAD) * UNIT);
    this.#write(place, kind, at, length);
    return true;
  }

  /** @returns where there is room for so many bytes, in units; -1: nowhere */
  #reserve(length: number): number {
    if (this.#base !== this.#written && Atomics.load(this.words, READ) === this.#written) {
      this.#base = this.#written;
      Atomics.store(this.words, BASE, this.#base);
    }
    const used = (this.#written - this.#base) | 0;
    return used + unitsOf(length) > this.#capacity ? -1 : FIRST + used;
  }

  #write(place: number, kind: number, at: number, length: number): void {
    const { words, times } = this;
    times[place] = at;
    words[2 * place + 2] = kind;
    words[2 * place + 3] = length;
    this.#written = (this.#written + unitsOf(length)) | 0;
    Atomics.store(words, WRITTEN, this.#written);
  }
}

export class JournalReader extends Journal {
  readonly #samples = new Int16Array(this.buffer);
  readonly #bytes = Buffer.from(this.buffer);
  readonly #entry: JournalEntry = { kind: 0, at: 0, from: 0, length: 0 };
  #read = this.words[READ] as number;

  get isEmpty(): boolean {
    return Atomics.load(this.words, WRITTEN) === this.#read;
  }

  /**
   * Gives everything that is written by now, in order; when `each` throws, nothing of it is free for the writer.
   * @param each gets what is worthless when it returns
   */
  read(each: (entry: JournalEntry) => void): void {
    const { words, times } = this;
    const written = Atomics.load(words, WRITTEN);
    if (written === this.#read) return;
    const base = Atomics.load(words, BASE);
    const entry = this.#entry;
    while (this.#read !== written) {
      const place = FIRST + ((this.#read - base) | 0);
      entry.kind = words[2 * place + 2] as number;
      entry.at = times[place] as number;
      entry.from = (place + HEAD) * UNIT;
      entry.length = words[2 * place + 3] as number;
      each(entry);
      this.#read = (this.#read + unitsOf(entry.length)) | 0;
    }
    Atomics.store(words, READ, this.#read);
  }

  /** In the memory that the writer writes to again when all is read. */
  samplesOf({ from, length }: JournalEntry): Int16Array {
    return this.#samples.subarray(from >> 1, (from + length) >> 1);
  }

  textOf({ from, length }: JournalEntry): string {
    return this.#bytes.toString('utf8', from, from + length);
  }
}

/** Of the memory of a journal in which so many bytes may wait to be read, in bytes. */
export const journalSize = (bytes: number): number => (FIRST + Math.ceil(bytes / UNIT)) * UNIT;

const unitsOf = (length: number): number => HEAD + Math.ceil(length / UNIT);

/** Pieces that are kept for later, of each size. */
const MAX_FREE = 64;

/**
 * Memory for journals. V8 gives shared memory back long after its last use, in each of the threads that have had it, so what a closed file's
 * journal has used is used again for the next one.
 */
export class JournalMemory {
  readonly #free = new Map<number, SharedArrayBuffer[]>();

  /** @param bytes how much may wait to be read */
  take(bytes: number): SharedArrayBuffer {
    const size = journalSize(bytes);
    return this.#free.get(size)?.pop() ?? new SharedArrayBuffer(size);
  }

  /** Neither thread uses it any more. */
  giveBack(memory: SharedArrayBuffer): void {
    const free = this.#free.get(memory.byteLength) ?? [];
    this.#free.set(memory.byteLength, free);
    if (free.length < MAX_FREE) free.push(memory);
  }
}

/** The memory of all journals of this process. */
export const journalMemory = new JournalMemory();

/** A file that gets what its journal says. Lives in the thread that writes. */
export interface JournalFile {
  /** Some time has gone by. @param nowMs of {@link sharedNow} @throws the system's error */
  look(nowMs: number): void;
  /** Writes what the journal has got so far, as far as it can change no more. @throws the system's error */
  flush(): void;
  /** Of a recording. @param tell gets where the words stand that it was told to watch; undefined where that is not known. Called once @throws the system's error */
  findWords?(tell: (words: WordTimes | undefined) => void): void;
  /** Writes the rest: nothing more comes. @throws the system's error */
  finish(): void;
  /** Lets go of the file. Called once, at the end or when something has thrown. */
  release(): void;
}
