import type { StreamMessage } from '../carrier.js';
import type { AudioOrder } from '../message-reader.js';

/** So many frames that came early, or late, say that what they wait for, or the numbers before them, will not be gone on with. */
const PATIENCE = 3;

/**
 * Puts the audio of a stream in the order of its chunk numbers, which count from 1; this carrier does not promise to send it so.
 * A gap is waited for until three frames are held behind it, a new numbering is taken up with its third frame. Whatever
 * comes, it goes on with the audio within three frames.
 * @see carrier reference 7.2
 */
export class ChunkOrder implements AudioOrder {
  readonly key = 'chunk';
  #next: number | undefined;
  readonly #held = new Map<number, Uint8Array>();
  /** How many frames in a row had a number that is over. */
  #late = 0;

  take(chunk: number, payload: Uint8Array): StreamMessage {
    // What is first to arrive need not be the first.
    this.#next ??= chunk <= PATIENCE ? Math.min(chunk, 1) : chunk;
    if (chunk === this.#next) {
      this.#late = 0;
      this.#next += 1;
      return { type: 'audio', payload: this.#held.size === 0 ? payload : this.#withFollowing(payload) };
    }
    if (chunk < this.#next) return this.#takeLate(chunk, payload);
    this.#late = 0;
    if (this.#held.has(chunk)) return REPEATED;
    this.#held.set(chunk, payload);
    if (this.#held.size < PATIENCE) return { type: 'held' };
    this.#next = Math.min(...this.#held.keys());
    return { type: 'audio', payload: this.#withFollowing() };
  }

  #takeLate(chunk: number, payload: Uint8Array): StreamMessage {
    this.#late += 1;
    if (this.#late < PATIENCE) return REPEATED;
    this.#late = 0;
    const held = [...this.#held].sort(([a], [b]) => a - b).map(([, early]) => early);
    this.#held.clear();
    this.#next = chunk + 1;
    return { type: 'audio', payload: Buffer.concat([...held, payload]) };
  }

  /** The payload, if any, and what is held without a gap from the next number on. */
  #withFollowing(...payloads: Uint8Array[]): Uint8Array {
    for (let next = this.#next as number; ; next += 1) {
      const payload = this.#held.get(next);
      this.#next = next;
      if (!payload) return payloads.length === 1 ? (payloads[0] as Uint8Array) : Buffer.concat(payloads);
      this.#held.delete(next);
      payloads.push(payload);
    }
  }
}

/** Or so late that its place was given up. */
const REPEATED: StreamMessage = { type: 'unknown', event: 'media of a chunk that is over' };
