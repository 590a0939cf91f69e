import type { AudioFormat } from './stt-dialect.js';

/**
 * The latest audio of a call, as it is sent: what waits to be sent, and what was sent and may have to be sent again.
 * Positions count bytes since the call's first.
 */
export class AudioBacklog {
  /** Audio that was never sent because it waited too long, in bytes. */
  droppedBytes = 0;
  #chunks: Uint8Array[] = [];
  /** Position of the first byte that is held. */
  #start = 0;
  #end = 0;
  /** Up to here it has been sent. */
  #sent = 0;
  readonly #sampleBytes: number;
  readonly #bytesPerMs: number;
  readonly #maxBytes: number;

  /** @param maxMs so much is held at most, in milliseconds */
  constructor({ encoding, sampleRate }: AudioFormat, maxMs: number) {
    this.#sampleBytes = encoding === 'PCMU' ? 1 : 2;
    this.#bytesPerMs = (this.#sampleBytes * sampleRate) / 1_000;
    this.#maxBytes = maxMs * this.#bytesPerMs;
  }

  /** Position of what is sent next. */
  get position(): number {
    return this.#sent;
  }

  /**
   * Where a time of a connection, or of ears, stands in the audio of the call: at the beginning of a sample.
   * @param ms since the first that was sent there, in milliseconds; undefined: all that was sent
   * @param origin position of that
   */
  positionAt(ms: number | undefined, origin: number): number {
    if (ms === undefined) return this.#sent;
    return origin + Math.round((ms * this.#bytesPerMs) / this.#sampleBytes) * this.#sampleBytes;
  }

  /** How long so many bytes last, in milliseconds. */
  msOf(bytes: number): number {
    return bytes / this.#bytesPerMs;
  }

  /** Adds audio; the oldest gives way. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#end += chunk.length;
    while (this.#end - this.#start > this.#maxBytes && this.#chunks.length > 1) {
      this.#start += this.#chunks.shift()?.length ?? 0;
    }
    if (this.#sent >= this.#start) return;
    this.droppedBytes += this.#start - this.#sent;
    this.#sent = this.#start;
  }

  /** What is to be sent now, oldest first. Counts as sent from here on. */
  takeUnsent(): Uint8Array[] {
    const unsent: Uint8Array[] = [];
    let position = this.#end;
    for (let i = this.#chunks.length - 1; i >= 0 && position > this.#sent; i -= 1) {
      const chunk = this.#chunks[i] as Uint8Array;
      position -= chunk.length;
      unsent.push(position < this.#sent ? chunk.subarray(this.#sent - position) : chunk);
    }
    this.#sent = this.#end;
    return unsent.reverse();
  }

  /** Audio before `position` is done with, as far as it has been sent. */
  confirm(position: number): void {
    const done = Math.min(position, this.#sent);
    let first = this.#chunks[0];
    while (first && this.#start + first.length <= done) {
      this.#start += first.length;
      this.#chunks.shift();
      first = this.#chunks[0];
    }
    if (!first || done <= this.#start) return;
    this.#chunks[0] = first.subarray(done - this.#start);
    this.#start = done;
  }

  /** Whatever is held is sent again, from where it was confirmed. @returns that position */
  rewind(): number {
    this.#sent = this.#start;
    return this.#start;
  }

  /** Whatever is held counts as sent. */
  markSent(): void {
    this.#sent = this.#end;
  }

  clear(): void {
    this.#chunks = [];
    this.#start = this.#end;
    this.#sent = this.#end;
  }
}

/** The same of samples that ears get as they come: others hear again what is held. */
export class SampleBacklog extends AudioBacklog {
  constructor(sampleRate: number, maxMs: number) {
    super({ encoding: 'L16', sampleRate }, maxMs);
  }

  /** Adds samples that count as sent. */
  keep(pcm: Int16Array): void {
    this.push(bytesOf(pcm));
    this.markSent();
  }

  /** What is to be heard again, oldest first. */
  takeSamples(): Int16Array[] {
    return this.takeUnsent().map(samplesOf);
  }
}

/** Bytes of their own: the samples travel on, and these may be sent again later. */
export function bytesOf({ buffer, byteOffset, byteLength }: Int16Array): Uint8Array {
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

function samplesOf({ buffer, byteOffset, byteLength }: Uint8Array): Int16Array {
  return new Int16Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}
