import { type OptionNames, refuseProblems, refuseUnknownOptions } from '../names/option-names.js';
import { rangeProblems } from '../names/option-ranges.js';
import { Biquad } from './biquad.js';
import { BlockCutter } from './block-cutter.js';
import { FirstSound } from './first-sound.js';
import { meanSquare } from './level.js';
import { NoiseFloor } from './noise-floor.js';
import { Resampler } from './resampler.js';
import { BLOCK_MS, holdProblems, SpeechHold } from './speech-hold.js';
import type { CreateVoiceDetector, VoiceDetector } from './voice-detector.js';

/** When {@link energyDetector} hears speech. */
export interface EnergyDetectorOptions {
  /**
   * How far the loudest band must be above its noise for speech to begin, in dB, 4 to 30. Less finds quieter speech in noise, and
   * more noise. Default 10.
   */
  thresholdDb?: number;
  /** Sound below this level is never speech, in dB of full scale, -80 to -20. Default -60. */
  minLevelDb?: number;
  /** How much speech makes a beginning, in milliseconds, 10 to 500: clicks are shorter. Default 40. */
  onsetMs?: number;
  /** How long a gap may be that still counts as speech, in milliseconds, 0 to 2000. Default 180. */
  hangoverMs?: number;
}

/** Default of `hangoverMs`. */
export const DEFAULT_HANGOVER_MS = 180;

export const ENERGY_OPTIONS: OptionNames<EnergyDetectorOptions> = {
  thresholdDb: true,
  minLevelDb: true,
  onsetMs: true,
  hangoverMs: true,
};

/** All of the telephone's speech is within; the rates above give only noise. */
const SAMPLE_RATE = 8_000;
/** Hum and the noise of cars are below, in hertz. */
const LOW_CUT = 180;
/** In hertz. Noise seldom fills all of these, and a voice stands out of one. */
const BANDS = [
  [200, 500],
  [500, 1_000],
  [1_000, 2_000],
  [2_000, 3_400],
] as const;
/** How much the level of steady noise varies from block to block in these bands, in dB: the standard deviation. Wide ones vary less. */
const NOISE_VARIES_DB = [1.8, 1.4, 1.05, 1];
/** Speech that continues may be this much weaker than speech that begins, in dB. */
const HYSTERESIS_DB = 3.5;
/** Weights of a new block in a band's level when that rises, and falls: ends should be told soon. */
const RISE_SMOOTHING = 0.3;
const FALL_SMOOTHING = 0.5;
/**
 * The end of a fading word is too quiet to be told from noise: so much earlier than the last sound above -45 dB of full scale, in
 * milliseconds, the gap begins that counts as speech. The median of 420 sentences of five people at -18 to -30 dB of full scale; a
 * voice that fades slowly may have 100.
 */
const FADE_MS = 20;
/** Weight of a new block in the level of the voice. */
const VOICE_SMOOTHING = 0.05;
/** Voices in the background and music are this much weaker than the caller when they begin, and go on, in dB. */
const BEGINS_BELOW_VOICE_DB = 12;
const GOES_ON_BELOW_VOICE_DB = 17;
/** The caller may go on more quietly; in dB per second. */
const VOICE_DECAY_DB = 2;
/** Sound below this level is digital silence, from a network that sends nothing in pauses, and not a quiet room, in dB of full scale. */
const DIGITAL_SILENCE_DB = -72;
/** Assumed noise level of a call that has sent nothing or digital silence so far: its first sound may be noise, in dB of full scale. */
const ASSUMED_NOISE_DB = -64;

const power = (db: number) => 32_768 ** 2 * 10 ** (db / 10);
const ratio = (db: number) => 10 ** (db / 10);

const DIGITAL_SILENCE = power(DIGITAL_SILENCE_DB);
const ASSUMED_NOISE = power(ASSUMED_NOISE_DB);
const VOICE_DECAY = ratio((-VOICE_DECAY_DB * BLOCK_MS) / 1_000);
const BEGINS_BELOW_VOICE = ratio(-BEGINS_BELOW_VOICE_DB);
const GOES_ON_BELOW_VOICE = ratio(-GOES_ON_BELOW_VOICE_DB);

interface Band {
  readonly filter: Biquad;
  readonly floor: NoiseFloor;
  /** Mean square of the latest block, and that smoothed. */
  power: number;
  smoothed: number;
}

/**
 * Tells speech from noise by its energy in four bands, each compared with its own noise floor, and by how much louder than the
 * rest the caller is. Steady noise of any colour is learnt at once where a call begins with it, else within three seconds; voices and music in the background
 * are ignored as far as they are 12 dB below the caller. Any rate that {@link Resampler} takes; any cut into pieces.
 */
export class EnergyDetector implements VoiceDetector {
  readonly hangoverMs: number;
  readonly #resampler: Resampler;
  readonly #blocks = new BlockCutter((SAMPLE_RATE * BLOCK_MS) / 1_000);
  readonly #lowCut = [Biquad.highPass(LOW_CUT, SAMPLE_RATE), Biquad.highPass(LOW_CUT, SAMPLE_RATE)] as const;
  readonly #firstSound = new FirstSound(NOISE_VARIES_DB.map((db) => db ** 2));
  readonly #bands: readonly Band[] = BANDS.map(([low, high]) => ({
    filter: Biquad.bandPass(low, high, SAMPLE_RATE),
    floor: new NoiseFloor(ASSUMED_NOISE),
    power: 0,
    smoothed: 0,
  }));
  readonly #filtered = new Float64Array((SAMPLE_RATE * BLOCK_MS) / 1_000);
  readonly #hold: SpeechHold;
  readonly #begins: number;
  readonly #goesOn: number;
  readonly #leastPower: number;
  /** Whether the latest block is more than digital silence. */
  #isHeard = false;
  #level = 0;
  #voice = 0;

  /**
   * @param sampleRate hertz: 8000, 16000, 24000 or 48000
   * @throws VoicebotError VB_CONFIG_INVALID for an option out of its range, VB_AUDIO_INVALID for another rate
   */
  constructor(
    sampleRate: number,
    { thresholdDb = 10, minLevelDb = -60, onsetMs = 40, hangoverMs = DEFAULT_HANGOVER_MS }: EnergyDetectorOptions = {},
  ) {
    const problems = energyProblems({ thresholdDb, minLevelDb, onsetMs, hangoverMs });
    refuseProblems(problems);
    this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
    this.#hold = new SpeechHold({ onsetMs, hangoverMs });
    this.hangoverMs = Math.max(0, hangoverMs - FADE_MS);
    this.#begins = ratio(thresholdDb);
    this.#goesOn = ratio(thresholdDb - HYSTERESIS_DB);
    this.#leastPower = power(minLevelDb);
  }

  isSpeech(pcm: Int16Array): boolean {
    this.#blocks.cut(this.#resampler.process(pcm), (block) => {
      this.#hold.take(this.#isActive(block));
      if (this.#firstSound.isVoice === undefined) this.#judgeFirstSound();
    });
    return this.#hold.isSpeech && this.#firstSound.isVoice !== undefined;
  }

  /** Steady noise that is there from the beginning is known at once. */
  #judgeFirstSound(): void {
    const sound = this.#firstSound;
    sound.take(this.#isHeard ? this.#bands.map(({ power }) => power) : undefined);
    if (sound.isVoice !== false) return;
    this.#hold.reset();
    for (const [i, band] of this.#bands.entries()) band.floor.assume(sound.power(i));
  }

  #isActive(block: Int16Array): boolean {
    const energy = this.#cutLow(block) / block.length;
    this.#level += VOICE_SMOOTHING * (energy - this.#level);
    this.#voice = Math.max(this.#level, this.#voice * VOICE_DECAY);
    // a filter rings where the sound has stopped
    this.#isHeard = Math.min(energy, meanSquare(block)) > DIGITAL_SILENCE;
    const prominence = this.#prominence();
    const { isSpeech } = this.#hold;
    const belowVoice = isSpeech ? GOES_ON_BELOW_VOICE : BEGINS_BELOW_VOICE;
    return (
      prominence > (isSpeech ? this.#goesOn : this.#begins) &&
      energy > this.#leastPower &&
      energy > this.#voice * belowVoice
    );
  }

  /** Leaves the block without hum in `#filtered`. @returns its energy */
  #cutLow(block: Int16Array): number {
    const [first, second] = this.#lowCut;
    let energy = 0;
    for (let i = 0; i < block.length; i += 1) {
      const sample = second.filter(first.filter(block[i] as number));
      this.#filtered[i] = sample;
      energy += sample * sample;
    }
    return energy;
  }

  /** How far the block in `#filtered` is above the noise, as a ratio of powers, in the band where that is most. */
  #prominence(): number {
    let most = 0;
    for (const band of this.#bands) {
      let energy = 0;
      for (let i = 0; i < this.#filtered.length; i += 1) energy += band.filter.filter(this.#filtered[i] as number) ** 2;
      band.power = energy / this.#filtered.length;
      const { power, smoothed, floor } = band;
      band.smoothed += (power > smoothed ? RISE_SMOOTHING : FALL_SMOOTHING) * (power - smoothed);
      floor.take(this.#isHeard ? power : ASSUMED_NOISE);
      most = Math.max(most, band.smoothed / Math.max(floor.power, DIGITAL_SILENCE));
    }
    return most;
  }
}

/** @returns a sentence for each option that is given and out of its range */
export function energyProblems({ thresholdDb, minLevelDb, onsetMs, hangoverMs }: EnergyDetectorOptions): string[] {
  return [
    ...rangeProblems({ thresholdDb: [thresholdDb, 4, 30], minLevelDb: [minLevelDb, -80, -20] }),
    ...holdProblems({ onsetMs, hangoverMs }),
  ];
}

/**
 * The voice detector that is built in. Costs about a thousandth of a processor per call.
 * @throws VoicebotError VB_CONFIG_INVALID for an option that is not known, or out of its range
 */
export function energyDetector(options: EnergyDetectorOptions = {}): CreateVoiceDetector {
  refuseUnknownOptions(options, ENERGY_OPTIONS);
  new EnergyDetector(SAMPLE_RATE, options); // refuses bad options now, not when the first caller is there
  return (sampleRate) => new EnergyDetector(sampleRate, options);
}
