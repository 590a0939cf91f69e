import { BlockCutter } from '../block-cutter.js';
import { encodeMulaw } from '../mulaw.js';
import { Resampler } from '../resampler.js';
import { toInt16 } from './audio-blocks.js';
import { PHONE_RATE } from './phone-rate.js';

/** What it gives at a time: 10 ms, so that little waits for the rest. */
const PIECE_SAMPLES = PHONE_RATE / 100;

/** Turns what a device hears into mu-law. */
export class Microphone {
  readonly #resampler: Resampler;
  readonly #cutter = new BlockCutter(PIECE_SAMPLES);

  /** @param sampleRate of the device, in hertz @throws VoicebotError VB_AUDIO_INVALID for one that {@link Resampler} does not know */
  constructor(sampleRate: number) {
    this.#resampler = new Resampler(sampleRate, PHONE_RATE);
  }

  /** @param samples -1 to 1 @param onPiece gets 10 ms of mu-law, in a buffer of its own, as often as there is as much */
  hear(samples: Float32Array, onPiece: (payload: Uint8Array) => void): void {
    const pcm = this.#resampler.process(Int16Array.from(samples, toInt16));
    this.#cutter.cut(pcm, (piece) => onPiece(encodeMulaw(piece)));
  }
}
