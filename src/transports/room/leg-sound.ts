import { BlockCutter } from '../../audio/block-cutter.js';
import { levelDb } from '../../audio/level.js';
import { Resampler } from '../../audio/resampler.js';
import { ToneSpectrum } from '../../audio/tone-spectrum.js';

const SAMPLE_RATE = 8_000;
const WINDOW_MS = 100;
const WINDOW = (SAMPLE_RATE * WINDOW_MS) / 1_000;
/** Comfort noise is below this level, in dB of full scale. */
const LEAST_DB = -45;
/** The ringing tones of all countries are within, in hertz (ITU-T E.180 supplement 2), and hold this part of the sound's energy. */
const LOWEST_HZ = 300;
const HIGHEST_HZ = 600;
const RINGING_SHARE = 0.9;
/** So many windows of voice, within so many windows, are somebody who speaks. */
const VOICED = 4;
const WITHIN = 20;
/** Syllables differ in their levels, and noise does not, in dB. */
const LEAST_RANGE_DB = 6;
/** So many windows of a ringing tone are no part of a word. */
const RINGING = 5;

/** Tells somebody who speaks on a telephone leg from one that rings, from comfort noise and from silence. */
export class LegSound {
  readonly #resampler: Resampler;
  readonly #windows = new BlockCutter(WINDOW);
  readonly #spectrum = new ToneSpectrum(WINDOW, SAMPLE_RATE, LOWEST_HZ, HIGHEST_HZ);
  /** Of the latest windows: the level of one with voice; undefined for one without. */
  #levels: (number | undefined)[] = [];
  #ringing = 0;

  /** @param sampleRate hertz: 8000 or 16 000 */
  constructor(sampleRate: number) {
    this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
  }

  /** @returns what is heard for certain; undefined while nothing is */
  hear(pcm: Int16Array): 'voice' | 'ringing' | undefined {
    this.#windows.cut(this.#resampler.process(pcm), (window) => this.#take(window));
    if (this.#ringing >= RINGING) return 'ringing';
    const voiced = this.#levels.filter((level) => level !== undefined).sort((one, other) => one - other);
    const [, quiet = 0] = voiced; // the quietest may hold only the beginning of a sound
    const isVoice = voiced.length >= VOICED && (voiced.at(-1) ?? 0) - quiet >= LEAST_RANGE_DB;
    return isVoice ? 'voice' : undefined;
  }

  #take(window: Int16Array): void {
    const level = levelDb(window);
    const isLoud = level > LEAST_DB;
    const isRinging = isLoud && this.#isRinging(window);
    this.#ringing = isRinging ? this.#ringing + 1 : 0;
    this.#levels.push(isLoud && !isRinging ? level : undefined);
    if (this.#levels.length > WITHIN) this.#levels.shift();
  }

  #isRinging(window: Int16Array): boolean {
    const [strongest, second] = this.#spectrum.measure(Float64Array.from(window));
    return strongest.share + second.share > RINGING_SHARE;
  }
}
