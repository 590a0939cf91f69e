/** What begins with a block that is only partly sound is judged by those behind it. */
const SKIPPED_BLOCKS = 1;
/** A sound may be judged after this many blocks of 10 ms, and has been after so many. */
const LEAST_BLOCKS = 4;
const MOST_BLOCKS = 20;
/** How many times as much as steady noise a voice varies at the least, when it is judged early, and late. */
const EARLY_RATIO = 3.2;
const LATE_RATIO = 2;
/** What begins as loud as a person who speaks into the telephone is no background, however steady: mean square, -24 dB of full scale. */
const LOUD = 32_768 ** 2 * 10 ** (-24 / 10);

/**
 * Tells whether the first sound of a call is a voice or steady noise, as of a road, a fan or a line. The level of a voice rises, falls
 * and moves from band to band. Half of all voices are told after 50 ms, 95 % after 130 ms; steady noise after 210 ms.
 */
export class FirstSound {
  #blocks = -SKIPPED_BLOCKS;
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;
  readonly #powers: Float64Array;
  #isVoice: boolean | undefined;

  /** @param variances of the level of steady noise from one block to the next, in each band, in dB squared */
  constructor(private readonly variances: readonly number[]) {
    this.#sums = new Float64Array(variances.length);
    this.#squares = new Float64Array(variances.length);
    this.#powers = new Float64Array(variances.length);
  }

  /** Undefined before there is a sound, and until it has been judged. */
  get isVoice(): boolean | undefined {
    return this.#isVoice;
  }

  /** Mean square of a band in the blocks that were judged, in squared sample units. */
  power(band: number): number {
    return (this.#powers[band] as number) / this.#blocks;
  }

  /**
   * Takes the next block of 10 ms, until it has been judged.
   * @param powers mean square in each band; undefined for digital silence, behind which a sound begins anew
   */
  take(powers: readonly number[] | undefined): void {
    if (this.#isVoice !== undefined) return;
    if (!powers) this.#reset();
    else if (this.#blocks < 0) this.#blocks += 1;
    else this.#judge(powers);
  }

  #reset(): void {
    this.#blocks = -SKIPPED_BLOCKS;
    for (const sums of [this.#sums, this.#squares, this.#powers]) sums.fill(0);
  }

  #judge(powers: readonly number[]): void {
    this.#blocks += 1;
    let variation = 0;
    this.variances.forEach((variance, i) => {
      const power = powers[i] as number;
      const db = 10 * Math.log10(power + 1);
      this.#powers[i] = (this.#powers[i] as number) + power;
      const sum = (this.#sums[i] as number) + db;
      const squares = (this.#squares[i] as number) + db * db;
      this.#sums[i] = sum;
      this.#squares[i] = squares;
      variation += (squares - sum ** 2 / this.#blocks) / this.#blocks / variance;
    });
    if (this.#blocks < LEAST_BLOCKS) return;
    const mean = this.#powers.reduce((sum, power) => sum + power, 0) / this.#blocks;
    const share = (this.#blocks - LEAST_BLOCKS) / (MOST_BLOCKS - LEAST_BLOCKS);
    const least = EARLY_RATIO + share * (LATE_RATIO - EARLY_RATIO);
    if (mean > LOUD || variation / this.variances.length > least) this.#isVoice = true;
    else if (this.#blocks === MOST_BLOCKS) this.#isVoice = false;
  }
}
