import { FRAME_MS } from '../frame.js';
import { decodeMulaw, encodeMulaw } from '../mulaw.js';
import { Resampler } from '../resampler.js';
import { Concealment } from './concealment.js';
import type { VoiceCodec } from './voice-codec.js';

const RATE = 8_000;

/** What a resampler holds back until its neighbours arrive, in milliseconds. */
const HELD_BACK_MS = 4;

/** Longest packet that is taken, in samples: 120 ms. */
const LONGEST = 960;

/**
 * G.711 mu-law, resampled when our side is not at 8000 Hz.
 * @see RFC 3551 section 4.5.14
 */
export class PcmuCodec implements VoiceCodec {
  readonly clockRate = RATE;
  readonly #down: Resampler;
  readonly #up: Resampler;
  readonly #concealment = new Concealment();

  /** @throws VoicebotError VB_AUDIO_INVALID for a rate that cannot be resampled */
  constructor(readonly sampleRate: number) {
    this.#down = new Resampler(sampleRate, RATE);
    this.#up = new Resampler(RATE, sampleRate);
    this.#prime(this.#down, sampleRate);
    this.#prime(this.#up, RATE);
  }

  encode(pcm: Int16Array): Uint8Array {
    return encodeMulaw(this.#down.process(pcm));
  }

  pauseEncoding(): void {
    this.#down.reset();
    this.#prime(this.#down, this.sampleRate);
  }

  durationOf(payload: Uint8Array): number {
    return payload.length <= LONGEST ? payload.length : 0;
  }

  decode(payload: Uint8Array): Int16Array {
    return this.#up.process(this.#concealment.heard(decodeMulaw(payload)));
  }

  conceal(duration: number): Int16Array {
    return this.#up.process(this.#concealment.conceal(duration));
  }

  silence(): Int16Array {
    return this.#up.process(this.#concealment.heard(new Int16Array((RATE * FRAME_MS) / 1_000)));
  }

  close(): void {}

  /** Lets a resampler start with silence, so that it gives a whole frame for every frame. */
  #prime(resampler: Resampler, rate: number): void {
    if (this.sampleRate !== RATE) resampler.process(new Int16Array((rate * HELD_BACK_MS) / 1_000));
  }
}
