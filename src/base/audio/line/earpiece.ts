import { BlockPlayer } from './audio-blocks.js';
import { MulawLine } from './mulaw-line.js';

/** Plays what is heard on the line, evened out in time. */
export class Earpiece {
  readonly #line: MulawLine;
  readonly #player: BlockPlayer;

  /** @param sampleRate of the device, in hertz @throws VoicebotError VB_AUDIO_INVALID for one that cannot be converted */
  constructor(sampleRate: number) {
    this.#line = new MulawLine(sampleRate);
    this.#player = new BlockPlayer(this.#line);
  }

  /** The next 20 ms of mu-law that are heard. @param nowMs monotonic, as in {@link play} */
  hear(frame: Uint8Array, nowMs: number): void {
    this.#line.bring(frame, nowMs);
  }

  /** Fills a block of the audio thread. */
  play(samples: Float32Array, nowMs: number): void {
    this.#player.play(samples, nowMs);
  }
}
