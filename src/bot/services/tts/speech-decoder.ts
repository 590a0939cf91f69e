import { decodeMulaw } from '../../../base/audio/mulaw.js';
import type { SpeechFormat } from './tts-dialect.js';

const EMPTY = new Int16Array(0);

/** Turns the bytes of a stream into samples, wherever they were cut. */
export class SpeechDecoder {
  /** Half a sample. */
  #left: number | undefined;

  constructor(private readonly encoding: SpeechFormat['encoding']) {}

  /** @returns samples in an array of their own, possibly none */
  decode(bytes: Uint8Array): Int16Array {
    if (this.encoding === 'PCMU') return decodeMulaw(bytes);
    const hasLeft = this.#left !== undefined;
    const total = bytes.length + (hasLeft ? 1 : 0);
    if (total < 2) {
      this.#left ??= bytes[0];
      return EMPTY;
    }
    const at = (index: number): number =>
      hasLeft ? (index === 0 ? (this.#left as number) : (bytes[index - 1] as number)) : (bytes[index] as number);
    const pcm = new Int16Array(total >> 1);
    for (let i = 0; i < pcm.length; i += 1) pcm[i] = at(2 * i) | (at(2 * i + 1) << 8);
    this.#left = total & 1 ? bytes.at(-1) : undefined;
    return pcm;
  }
}
