/** After the caller's last sound the bot goes on so soon, in milliseconds: nothing that was understood has come of it. */
const GOES_ON_AFTER_MS = 250;
/** A voice of which no word has been understood holds the bot no longer than this, in milliseconds. */
const LONGEST_MS = 4_000;

export interface SoftStopListener {
  /** The bot is to fall silent, and to keep what it was about to say. */
  held(): void;
  /** The bot goes on where it was. */
  wentOn(): void;
}

/** Holds the bot's speech for a voice until it is known whether the voice says something. */
export class SoftStop {
  #isHeld = false;
  /** The voice that is heard has held the bot for as long as it may. */
  #isSpent = false;
  #timer: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;

  constructor(private readonly listener: SoftStopListener) {}

  /** A voice is heard while the bot speaks. */
  hold(): void {
    if (this.#isHeld || this.#isSpent) return;
    this.#isHeld = true;
    this.#limit = setTimeout(() => {
      this.#isSpent = true;
      this.goOn();
    }, LONGEST_MS);
    this.listener.held();
  }

  /** A voice begins, perhaps again. */
  hearVoice(): void {
    clearTimeout(this.#timer);
  }

  /** @param stoppedAt when the caller's last sound was, monotonic, in milliseconds */
  hearSilence(stoppedAt: number): void {
    this.#isSpent = false;
    if (!this.#isHeld) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.goOn(), Math.max(0, stoppedAt + GOES_ON_AFTER_MS - performance.now()));
  }

  /** The bot goes on, if it was held. */
  goOn(): void {
    if (this.drop()) this.listener.wentOn();
  }

  /** The bot has nothing to go on with. @returns whether it was held */
  drop(): boolean {
    const wasHeld = this.#isHeld;
    this.#isHeld = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#limit);
    return wasHeld;
  }
}
