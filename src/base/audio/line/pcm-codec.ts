import { FRAME_MS } from '../frame.js';
import { Concealment } from './concealment.js';
import type { JitterDelay } from './jitter-buffer.js';
import type { VoiceCodec } from './voice-codec.js';

/** Longest payload that is taken, in milliseconds. */
const LONGEST_MS = 120;

/** Between a page and a process of one machine; the page's clock ticks every 10 ms. */
export const LOCAL_DELAY: JitterDelay = { first: 20, least: 10 };

/** Linear PCM of 16 bits, little-endian, as it travels between a page and the bot's process. */
export class PcmCodec implements VoiceCodec {
  readonly #concealment: Concealment;

  /** @param clockRate of the samples, in hertz */
  constructor(readonly clockRate: number) {
    this.#concealment = new Concealment(clockRate);
  }

  encode(pcm: Int16Array): Uint8Array {
    return new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  }

  pauseEncoding(): void {}

  durationOf(payload: Uint8Array): number {
    const samples = payload.byteLength / 2;
    return Number.isInteger(samples) && samples <= (this.clockRate * LONGEST_MS) / 1_000 ? samples : 0;
  }

  decode(payload: Uint8Array): Int16Array {
    return this.#concealment.heard(new Int16Array(new Uint8Array(payload).buffer));
  }

  conceal(duration: number): Int16Array {
    return this.#concealment.conceal(duration);
  }

  silence(): Int16Array {
    return this.#concealment.heard(new Int16Array((this.clockRate * FRAME_MS) / 1_000));
  }

  close(): void {}
}
