import { Biquad } from './biquad.js';
import { BlockCutter } from './block-cutter.js';
import { COLUMN_FREQUENCIES, ROW_FREQUENCIES } from './dtmf-keypad.js';
import { Resampler } from './resampler.js';
import { ToneSpectrum } from './tone-spectrum.js';

const SAMPLE_RATE = 8_000;
/** The audio is looked at every 10 ms, through a window of 20 ms. */
const HOP_MS = 10;
const HOP = (SAMPLE_RATE * HOP_MS) / 1_000;
const LOWEST_HZ = 380;
const HIGHEST_HZ = 2_100;
/** Hum may lie under a beep, in hertz. */
const LOW_CUT = 180;
/** Weakest beep, in dB of full scale. */
const MIN_LEVEL_DB = -42;
/** Part of the energy that one tone must hold, or two together, and the weaker of these. */
const PURITY = 0.8;
const DUAL_PURITY = 0.9;
const LEAST_SECOND = 0.2;
/** Voices glide, and the notes of instruments fade. Hertz from window to window, and from the first to the last; dB. */
const MAX_FREQUENCY_STEP = 8;
const MAX_FREQUENCY_DRIFT = 15;
const MAX_LEVEL_RANGE_DB = 3;
/** Windows that hold only part of the tone, at each end, are not counted. */
const MIN_STEADY_MS = 160;
const MAX_STEADY_MS = 2_200;
/** For so long the sound must be this much weaker after the beep; a window that holds its end comes first. */
const QUIET_MS = 120;
const FADE_MS = 40;
const QUIET_DROP_DB = 6;
/** Tones that follow each other within this time are an announcement of the network. */
const APART_MS = 250;
/** A ringing tone counts as a beep only after this much speech has been heard, in milliseconds. */
const GREETING_MS = 500;
const RINGING_HZ = [395, 455] as const;
/** Dial and busy tone of the United States. */
const PROGRESS_PAIRS = [
  [350, 440],
  [480, 620],
] as const;

/** A steady tone that goes on. */
interface Tone {
  readonly frequencies: readonly number[];
  latest: readonly number[];
  loudest: number;
  quietest: number;
  durationMs: number;
}

/**
 * Finds the beep of an answering machine in a stream of samples, at any cut into pieces: a steady tone, or two at once, of 380 to
 * 2100 Hz that lasts 0.2 to 2.2 s, then quiet. Keys, ringing, busy and network tones, music and voices are none.
 */
export class BeepDetector {
  readonly #resampler: Resampler;
  readonly #hops = new BlockCutter(HOP);
  readonly #lowCut = [Biquad.highPass(LOW_CUT, SAMPLE_RATE), Biquad.highPass(LOW_CUT, SAMPLE_RATE)] as const;
  readonly #spectrum = new ToneSpectrum(2 * HOP, SAMPLE_RATE, LOWEST_HZ, HIGHEST_HZ);
  readonly #window = new Float64Array(2 * HOP);
  #tone: Tone | undefined;
  /** A tone that has ended, and how long ago. */
  #ended: { tone: Tone; agoMs: number } | undefined;
  #sinceToneMs = Number.POSITIVE_INFINITY;
  #greetingMs = 0;

  /**
   * @param sampleRate hertz: 8000, 16000, 24000 or 48000
   * @throws VoicebotError VB_AUDIO_INVALID for another rate
   */
  constructor(sampleRate = SAMPLE_RATE) {
    this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
  }

  /** Takes the next samples. @returns whether a beep has ended in them: true once for each, some 130 ms after its end */
  process(pcm: Int16Array): boolean {
    let hasEnded = false;
    this.#hops.cut(this.#resampler.process(pcm), (hop) => {
      hasEnded = this.#look(hop) || hasEnded;
    });
    return hasEnded;
  }

  #look(hop: Int16Array): boolean {
    const levelDb = this.#take(hop);
    const frequencies = levelDb < MIN_LEVEL_DB ? [] : this.#pureTone();
    if (frequencies.length === 0 && levelDb >= MIN_LEVEL_DB) this.#greetingMs += HOP_MS;
    this.#sinceToneMs += HOP_MS;
    const tone = this.#tone;
    if (tone && goesOn(tone, frequencies, levelDb)) {
      tone.durationMs += HOP_MS;
      if (tone.durationMs >= MIN_STEADY_MS) this.#ended = undefined;
      return false;
    }
    if (tone) this.#endTone(tone);
    this.#tone =
      frequencies.length > 0
        ? { frequencies, latest: frequencies, loudest: levelDb, quietest: levelDb, durationMs: HOP_MS }
        : undefined;
    return this.#isQuietAfterBeep(levelDb);
  }

  /** Lets the window move on by a hop. @returns its level, in dB of full scale */
  #take(hop: Int16Array): number {
    const window = this.#window;
    const [first, second] = this.#lowCut;
    window.copyWithin(0, HOP);
    for (let i = 0; i < HOP; i += 1) window[HOP + i] = second.filter(first.filter(hop[i] as number));
    const energy = window.reduce((sum, sample) => sum + sample * sample, 0);
    return 10 * Math.log10(energy / window.length / 32_768 ** 2 + 1e-12);
  }

  /** The frequencies of the window when it holds one or two tones and little else. */
  #pureTone(): number[] {
    const [strongest, second] = this.#spectrum.measure(this.#window);
    if (strongest.share >= PURITY) return [strongest.frequency];
    const isDual = strongest.share + second.share >= DUAL_PURITY && second.share >= LEAST_SECOND;
    return isDual ? [strongest.frequency, second.frequency].sort((a, b) => a - b) : [];
  }

  #endTone(tone: Tone): void {
    if (tone.durationMs < MIN_STEADY_MS) return;
    const isAlone = this.#sinceToneMs - tone.durationMs > APART_MS;
    this.#sinceToneMs = 0;
    const isBeep = isAlone && tone.durationMs <= MAX_STEADY_MS && !this.#isOfNetwork(tone.frequencies);
    this.#ended = isBeep ? { tone, agoMs: 0 } : undefined;
  }

  #isOfNetwork([low = 0, high]: readonly number[]): boolean {
    if (high === undefined) {
      return low > RINGING_HZ[0] && low < RINGING_HZ[1] && this.#greetingMs < GREETING_MS;
    }
    const isKey =
      ROW_FREQUENCIES.some((row) => isNear(low, row)) && COLUMN_FREQUENCIES.some((column) => isNear(high, column));
    return isKey || PROGRESS_PAIRS.some(([first, second]) => isNear(low, first) && isNear(high, second));
  }

  #isQuietAfterBeep(levelDb: number): boolean {
    const ended = this.#ended;
    if (!ended) return false;
    ended.agoMs += HOP_MS;
    const isQuiet = levelDb < ended.tone.quietest - QUIET_DROP_DB;
    if (isQuiet ? ended.agoMs < QUIET_MS : ended.agoMs <= FADE_MS) return false;
    this.#ended = undefined;
    return isQuiet;
  }
}

const isNear = (frequency: number, nominal: number) => Math.abs(frequency - nominal) < 0.03 * nominal;

/** Whether what is heard now is still the same tone; notes it if so. */
function goesOn(tone: Tone, frequencies: readonly number[], levelDb: number): boolean {
  const loudest = Math.max(tone.loudest, levelDb);
  const quietest = Math.min(tone.quietest, levelDb);
  const isSteady =
    frequencies.length === tone.frequencies.length &&
    frequencies.every(
      (frequency, i) =>
        Math.abs(frequency - (tone.latest[i] as number)) <= MAX_FREQUENCY_STEP &&
        Math.abs(frequency - (tone.frequencies[i] as number)) <= MAX_FREQUENCY_DRIFT,
    ) &&
    loudest - quietest <= MAX_LEVEL_RANGE_DB;
  if (!isSteady) return false;
  tone.latest = frequencies;
  tone.loudest = loudest;
  tone.quietest = quietest;
  return true;
}
