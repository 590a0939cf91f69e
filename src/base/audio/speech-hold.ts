import { refuseProblems } from '../names/option-names.js';
import { rangeProblems } from '../names/option-ranges.js';

export interface SpeechHoldOptions {
  /** How much speech, within a little more than that, makes a beginning, in milliseconds, 10 to 500: clicks are shorter. */
  onsetMs: number;
  /** How long a gap may be that still counts as speech, in milliseconds, 0 to 2000: words have gaps. */
  hangoverMs: number;
}

/** @returns a sentence for each of the two that is given and out of its range */
export function holdProblems({
  onsetMs,
  hangoverMs,
}: { [Name in keyof SpeechHoldOptions]?: number | undefined }): string[] {
  return rangeProblems({ onsetMs: [onsetMs, 10, 500], hangoverMs: [hangoverMs, 0, 2_000] });
}

/** Length of the blocks that are judged one by one, in milliseconds. */
export const BLOCK_MS = 10;
/** How many quiet blocks one speech block outweighs during speech: a single one in noise does not keep speech going. */
const REVIVAL = 4;

/** Makes speech with a beginning and an end out of blocks of 10 ms that are each speech or not. */
export class SpeechHold {
  readonly #onset: number;
  readonly #hangover: number;
  #active = 0;
  #quiet = 0;
  #isSpeech = false;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option out of its range */
  constructor({ onsetMs, hangoverMs }: SpeechHoldOptions) {
    const problems = holdProblems({ onsetMs, hangoverMs });
    refuseProblems(problems);
    this.#onset = Math.ceil(onsetMs / BLOCK_MS);
    this.#hangover = Math.ceil(hangoverMs / BLOCK_MS);
  }

  get isSpeech(): boolean {
    return this.#isSpeech;
  }

  /** What has been taken was no speech. */
  reset(): void {
    this.#isSpeech = false;
    this.#active = 0;
  }

  /** @param isActive whether the next block of 10 ms is speech */
  take(isActive: boolean): void {
    if (this.#isSpeech) {
      this.#quiet = isActive ? Math.max(0, this.#quiet - REVIVAL) : this.#quiet + 1;
      if (this.#quiet <= this.#hangover) return;
      this.#isSpeech = false;
      this.#active = 0;
      return;
    }
    this.#active = isActive ? this.#active + 1 : Math.max(0, this.#active - 1);
    if (this.#active < this.#onset) return;
    this.#isSpeech = true;
    this.#quiet = 0;
  }
}
