/** After the caller's last sound the bot goes on so soon, in milliseconds: nothing that was understood has come of it. */
const GOES_ON_AFTER_MS = 250;
/** A voice of which no word has been understood holds the bot no longer than this in all, in milliseconds. */
const LONGEST_MS = 4_000;
/** A voice that comes after so long a silence of the caller's is another, in milliseconds. */
const RENEWED_AFTER_MS = 3_000;

export interface SoftStopListener {
  /** The bot is to fall silent, and to keep what it was about to say. */
  held(): void;
  /** The bot goes on where it was. */
  wentOn(): void;
}

/** Holds the bot's speech for a voice until it is known whether the voice says something. */
export class SoftStop {
  /** Since when the bot has been held; monotonic, in milliseconds. */
  #heldAt: number | undefined;
  /** How long a voice without words may hold the bot still, in milliseconds. */
  #leftMs = LONGEST_MS;
  #quietAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;

  constructor(private readonly listener: SoftStopListener) {}

  /** A voice is heard while the bot speaks. */
  hold(): void {
    if (this.#heldAt !== undefined || this.#leftMs <= 0) return;
    this.#heldAt = performance.now();
    this.#limit = setTimeout(() => {
      this.#leftMs = 0;
      this.goOn();
    }, this.#leftMs);
    this.listener.held();
  }

  /** A voice begins, perhaps again. */
  hearVoice(): void {
    clearTimeout(this.#timer);
    if (performance.now() - this.#quietAt > RENEWED_AFTER_MS) this.renew();
  }

  /** A voice may hold the bot for the whole time: something was understood of it, or the bot begins anew. */
  renew(): void {
    this.#leftMs = LONGEST_MS;
  }

  /** @param stoppedAt when the caller's last sound was, monotonic, in milliseconds */
  hearSilence(stoppedAt: number): void {
    this.#quietAt = stoppedAt;
    if (this.#heldAt === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.goOn(), Math.max(0, stoppedAt + GOES_ON_AFTER_MS - performance.now()));
  }

  /** The bot goes on, if it was held. */
  goOn(): void {
    if (this.drop()) this.listener.wentOn();
  }

  /** The bot has nothing to go on with. @returns whether it was held */
  drop(): boolean {
    const wasHeld = this.#heldAt !== undefined;
    if (this.#heldAt !== undefined) this.#leftMs -= performance.now() - this.#heldAt;
    this.#heldAt = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#limit);
    return wasHeld;
  }
}
