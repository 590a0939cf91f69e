import type { DtmfDigit } from './dtmf-digit.js';
import { COLUMN_FREQUENCIES, KEYPAD, ROW_FREQUENCIES } from './dtmf-keypad.js';
import { Goertzel } from './goertzel.js';

/** The audio is looked at every 4 ms, through a window of 16 ms. */
const HOP_MS = 4;
const HOPS_PER_WINDOW = 4;
/** Windows in a row that must show the same key before it counts; with the window, 36 ms of tone or a little less. */
const ONSET_WINDOWS = 6;
/** Windows in a row without the key before it may count again; bridges an interruption of 10 ms, not a pause of 40. */
const RELEASE_WINDOWS = 6;
/** Weakest tone, as RMS relative to full scale, in dB. */
const MIN_TONE_DB = -40;
/** Largest difference between the two tones, in dB; 8 with room for measuring. */
const MAX_TWIST_DB = 9.5;
/** Least part of the window's energy that the two tones must hold for a key to begin, and to go on. */
const ONSET_PURITY = 0.8;
const HOLD_PURITY = 0.3;
/** Half way between the 1.5 % that must be accepted and the 3.5 % that must not. */
const MAX_FREQUENCY_ERROR = 0.025;

const MIN_TONE_POWER = 32_768 ** 2 * 10 ** (MIN_TONE_DB / 10);
const MAX_TWIST = 10 ** (MAX_TWIST_DB / 10);

/** A tone group's strongest member in the current window. */
interface Peak {
  index: number;
  bin: Goertzel;
  /** Mean square, in squared sample units. */
  power: number;
}

/**
 * Finds key presses in a stream of samples, at any cut into pieces.
 *
 * A key is reported once, within 40 ms of its onset, when row and column tone are each above -40 dB of full scale,
 * within 8 dB of each other, within 1.5 % of their frequencies (off by 3.5 % they are refused) and hold most of the
 * energy. Tones of 40 ms are found and those of 20 ms are not; a pause of 40 ms makes the same key count again, an
 * interruption of 10 ms does not.
 * @see ITU-T Q.23 and Q.24 (table A-1)
 */
export class DtmfDetector {
  readonly #rows: readonly Goertzel[];
  readonly #columns: readonly Goertzel[];
  readonly #hop: number;
  /** Seconds. */
  readonly #hopTime: number;
  readonly #shape: Float64Array;
  readonly #toneScale: number;
  readonly #energyScale: number;
  readonly #recent: Float64Array;
  readonly #block: Float64Array;
  #fill = 0;
  /** Key of the latest windows, how many in a row showed it, and how its tones' phases moved over them, in radians. */
  #candidate: DtmfDigit | undefined;
  #run = 0;
  #rowPhase = 0;
  #columnPhase = 0;
  #rowDrift = 0;
  #columnDrift = 0;
  /** Key that has been reported and is still down, and how many windows ago it was last seen. */
  #down: DtmfDigit | undefined;
  #missed = 0;

  /** @param sampleRate hertz, 8000 or more */
  constructor(sampleRate = 8_000) {
    this.#rows = ROW_FREQUENCIES.map((frequency) => new Goertzel(frequency, sampleRate));
    this.#columns = COLUMN_FREQUENCIES.map((frequency) => new Goertzel(frequency, sampleRate));
    this.#hop = Math.round((sampleRate * HOP_MS) / 1_000);
    this.#hopTime = this.#hop / sampleRate;
    const length = this.#hop * HOPS_PER_WINDOW;
    this.#shape = Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / length));
    this.#toneScale = 2 / this.#shape.reduce((sum, weight) => sum + weight, 0) ** 2;
    this.#energyScale = 1 / this.#shape.reduce((sum, weight) => sum + weight * weight, 0);
    this.#recent = new Float64Array(length);
    this.#block = new Float64Array(length);
    this.reset();
  }

  /** Takes the next samples and gives the keys whose onset they complete, usually none. */
  process(pcm: Int16Array): DtmfDigit[] {
    const digits: DtmfDigit[] = [];
    const recent = this.#recent;
    for (let i = 0; i < pcm.length; i += 1) {
      recent[this.#fill] = pcm[i] as number;
      this.#fill += 1;
      if (this.#fill < recent.length) continue;
      const digit = this.#look();
      if (digit) digits.push(digit);
      recent.copyWithin(0, this.#hop);
      this.#fill -= this.#hop;
    }
    return digits;
  }

  /** Forgets everything heard so far; a key that is still down counts again. */
  reset(): void {
    this.#recent.fill(0);
    this.#fill = this.#recent.length - this.#hop; // silence before the first sample
    this.#endRun();
    this.#down = undefined;
    this.#missed = 0;
  }

  /** Judges the full window; gives a key when this window completes its onset. */
  #look(): DtmfDigit | undefined {
    let energy = 0;
    for (let i = 0; i < this.#block.length; i += 1) {
      const sample = (this.#recent[i] as number) * (this.#shape[i] as number);
      this.#block[i] = sample;
      energy += sample * sample;
    }
    energy *= this.#energyScale;
    this.#missed += 1;
    if (this.#missed >= RELEASE_WINDOWS) this.#down = undefined;
    if (energy < MIN_TONE_POWER) return this.#endRun();

    const row = this.#peak(this.#rows);
    const column = this.#peak(this.#columns);
    const digit = KEYPAD[row.index * COLUMN_FREQUENCIES.length + column.index] as DtmfDigit;
    const tones = row.power + column.power;
    if (digit === this.#down && tones >= energy * HOLD_PURITY) {
      this.#missed = 0;
      return undefined;
    }
    if (
      tones < energy * ONSET_PURITY ||
      Math.min(row.power, column.power) < MIN_TONE_POWER ||
      row.power > column.power * MAX_TWIST ||
      column.power > row.power * MAX_TWIST
    ) {
      return this.#endRun();
    }
    this.#follow(digit, row.bin, column.bin);
    if (this.#run < ONSET_WINDOWS || !this.#isOnFrequency(row.bin, column.bin)) return undefined;
    this.#endRun();
    this.#down = digit;
    this.#missed = 0;
    return digit;
  }

  #peak(bins: readonly Goertzel[]): Peak {
    let index = 0;
    for (let i = 0; i < bins.length; i += 1) {
      (bins[i] as Goertzel).measure(this.#block);
      if ((bins[i] as Goertzel).power > (bins[index] as Goertzel).power) index = i;
    }
    const bin = bins[index] as Goertzel;
    return { index, bin, power: bin.power * this.#toneScale };
  }

  #follow(digit: DtmfDigit, row: Goertzel, column: Goertzel): void {
    if (digit !== this.#candidate) {
      this.#endRun();
      this.#candidate = digit;
    } else {
      this.#rowDrift += this.#drift(row, this.#rowPhase);
      this.#columnDrift += this.#drift(column, this.#columnPhase);
    }
    this.#run += 1;
    this.#rowPhase = row.phase;
    this.#columnPhase = column.phase;
  }

  /** How far the phase moved in one hop beyond what the bin's own frequency explains; unique within 125 Hz. */
  #drift(bin: Goertzel, previousPhase: number): number {
    const drift = bin.phase - previousPhase - 2 * Math.PI * bin.frequency * this.#hopTime;
    return drift - 2 * Math.PI * Math.round(drift / (2 * Math.PI));
  }

  #isOnFrequency(row: Goertzel, column: Goertzel): boolean {
    const radiansPerHertz = 2 * Math.PI * this.#hopTime * (this.#run - 1);
    return (
      Math.abs(this.#rowDrift) <= radiansPerHertz * row.frequency * MAX_FREQUENCY_ERROR &&
      Math.abs(this.#columnDrift) <= radiansPerHertz * column.frequency * MAX_FREQUENCY_ERROR
    );
  }

  #endRun(): undefined {
    this.#candidate = undefined;
    this.#run = 0;
    this.#rowDrift = 0;
    this.#columnDrift = 0;
  }
}
