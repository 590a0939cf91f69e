/** Ears that told no words for so much of the caller's voice hear nothing, in milliseconds. */
const DEAF_AFTER_MS = 15_000;
/** It may be music: where another connection has not helped, each next one waits for twice as much, up to this. */
const LONGEST_WAIT_MS = 240_000;

/** How much of the caller's voice no words have come for. */
export class UnheardVoice {
  #limitMs = DEAF_AFTER_MS;
  #ms = 0;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param areDeaf told how much voice there was, in milliseconds */
  constructor(private readonly areDeaf: (ms: number) => void) {}

  voice(isHeard: boolean): void {
    this.#count();
    this.#since = isHeard ? performance.now() : undefined;
    this.#watch();
  }

  /** Words came. */
  words(): void {
    this.#ms = 0;
    this.#limitMs = DEAF_AFTER_MS;
    if (this.#since === undefined) return;
    this.#since = performance.now();
    this.#watch();
  }

  /** Nothing more is told. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #count(): void {
    if (this.#since !== undefined) this.#ms += performance.now() - this.#since;
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.#since === undefined) return;
    this.#timer = setTimeout(() => this.#tell(), Math.max(0, this.#limitMs - this.#ms));
  }

  #tell(): void {
    this.#count();
    const ms = this.#ms;
    this.#ms = 0;
    this.#limitMs = Math.min(2 * this.#limitMs, LONGEST_WAIT_MS);
    this.#since = performance.now();
    this.#watch();
    this.areDeaf(ms);
  }
}
