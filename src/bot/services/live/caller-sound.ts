import { Resampler } from '../../../base/audio/resampler.js';
import { encodeAudio } from './live-audio.js';
import type { LiveFormat } from './manner.js';

/** Of the caller's sound before they are noticed to speak, so much goes with their speech, in milliseconds. */
const LEAD_MS = 500;
/** Sound that is kept for another session, at most, in milliseconds: the beginning of what is longer is lost then. */
const MAX_KEPT_MS = 60_000;

interface SentPiece {
  readonly ms: number;
  /** In base64, as it is sent. */
  readonly audio: string;
}

/** The caller's sound in the format of a session, and what of it belongs to a turn that is not answered: another session hears that again. */
export class CallerSound {
  readonly #resampler: Resampler;
  #pieces: SentPiece[] = [];
  #keptMs = 0;
  /** The caller has begun to speak, and not been answered. */
  #isTurn = false;
  /** How many pieces of what is kept were sent. */
  #sent = 0;

  /** @param sampleRate of what is written, in hertz */
  constructor(
    sampleRate: number,
    private readonly format: LiveFormat,
  ) {
    this.#resampler = new Resampler(sampleRate, format.sampleRate);
  }

  /** Whether a turn of the caller's has begun and was not answered. */
  get isTurn(): boolean {
    return this.#isTurn;
  }

  write(pcm: Int16Array): void {
    const samples = this.#resampler.process(pcm);
    if (samples.length === 0) return;
    const ms = (samples.length * 1_000) / this.format.sampleRate;
    this.#pieces.push({ ms, audio: encodeAudio(this.format, samples) });
    this.#keptMs += ms;
    this.#keep(this.#isTurn ? MAX_KEPT_MS : LEAD_MS);
  }

  /** The caller speaks: what comes from here on belongs to a turn, with a little of what was before. */
  begin(): void {
    this.#isTurn = true;
  }

  /** The turn has been answered, or does not count. */
  end(): void {
    this.#isTurn = false;
    this.#keep(LEAD_MS);
  }

  /** Nothing of what is kept has been sent: there is another session. */
  rewind(): void {
    this.#sent = 0;
  }

  /** What was not sent yet. */
  takeUnsent(): string[] {
    const unsent = this.#pieces.slice(this.#sent).map(({ audio }) => audio);
    this.#sent = this.#pieces.length;
    return unsent;
  }

  /** Nothing that was kept counts. */
  forget(): void {
    this.#pieces = [];
    this.#keptMs = 0;
    this.#sent = 0;
    this.#isTurn = false;
  }

  #keep(ms: number): void {
    let surplus = 0;
    while (this.#keptMs > ms && surplus < this.#pieces.length - 1) {
      this.#keptMs -= this.#pieces[surplus]?.ms ?? 0;
      surplus += 1;
    }
    if (surplus === 0) return;
    this.#pieces.splice(0, surplus);
    this.#sent = Math.max(0, this.#sent - surplus);
  }
}
