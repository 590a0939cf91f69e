/** Plays a message when a caller has waited too long for an answer, and again while the caller still waits. */
export class WaitMessage {
  /** When caller or bot last spoke, in monotonic milliseconds. */
  #quietSince = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param afterMs how long the caller waits, in milliseconds; 0 means for ever
   * @param play plays the message
   */
  constructor(
    private readonly afterMs: number,
    private readonly play: () => void,
  ) {}

  /** The caller, or the bot, has just fallen silent. */
  quietNow(): void {
    this.#quietSince = performance.now();
  }

  /** Whether the caller waits for an answer and hears nothing. */
  set isWaiting(isWaiting: boolean) {
    if (!isWaiting || this.afterMs === 0) this.stop();
    else
      this.#timer ??= setTimeout(
        () => this.#onLate(),
        Math.max(0, this.#quietSince + this.afterMs - performance.now()),
      );
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #onLate(): void {
    this.#timer = undefined;
    this.play();
  }
}
