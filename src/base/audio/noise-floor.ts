/** The latest minima count, of 250 ms each: after a step up the new level is the floor 2.75 s later at most. */
const SPAN_BLOCKS = 25;
const SPANS = 10;
/** How long the level that is assumed at first holds, if there is no less. */
const FIRST_SPANS = 6;
/** Weight of a new block; the level is that of about the last 100 ms. */
const SMOOTHING = 0.1;

/**
 * How loud it is without speech, from blocks of 10 ms with and without speech: the least level of the last seconds. Speech
 * has pauses within that time and noise has none. Falls at once, rises slowly.
 * @see R. Martin, Noise power spectral density estimation based on optimal smoothing and minimum statistics, 2001
 */
export class NoiseFloor {
  #level: number | undefined;
  #lowest = Number.POSITIVE_INFINITY;
  #blocks = 0;
  #spans: number[] = [];
  #earlier = 0;

  /** @param assumed mean square before anything has been heard, in squared sample units */
  constructor(assumed: number) {
    this.assume(assumed);
  }

  /** Forgets what has been heard. @param power what the noise is taken for, in squared sample units */
  assume(power: number): void {
    this.#spans = new Array(FIRST_SPANS).fill(power);
    this.#earlier = power;
    this.#lowest = Number.POSITIVE_INFINITY;
    this.#level = undefined;
    this.#blocks = 0;
  }

  /** Mean square, in squared sample units. */
  get power(): number {
    return Math.min(this.#lowest, this.#earlier);
  }

  /** @param power mean square of the next block, in squared sample units */
  take(power: number): void {
    this.#level = this.#level === undefined ? power : this.#level + SMOOTHING * (power - this.#level);
    this.#lowest = Math.min(this.#lowest, this.#level);
    this.#blocks += 1;
    if (this.#blocks % SPAN_BLOCKS > 0) return;
    const isBeginning = this.#blocks <= SPAN_BLOCKS * FIRST_SPANS;
    if (isBeginning || this.#spans.length === SPANS) this.#spans.shift();
    this.#spans.push(this.#lowest);
    this.#earlier = Math.min(...this.#spans);
    this.#lowest = Number.POSITIVE_INFINITY;
  }
}
