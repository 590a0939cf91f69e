import { type OptionNames, refuseProblems, unknownOptions } from '../names/option-names.js';
import { rangeProblems } from '../names/option-ranges.js';
import { BlockCutter } from './block-cutter.js';
import {
  DEFAULT_HANGOVER_MS,
  ENERGY_OPTIONS,
  EnergyDetector,
  type EnergyDetectorOptions,
  energyProblems,
} from './energy-detector.js';
import { Resampler } from './resampler.js';
import { SileroModel, type SileroRate } from './silero-model.js';
import type { CreateVoiceDetector, VoiceDetector } from './voice-detector.js';

/** When {@link sileroDetector} hears speech: those of the energy detector, which has to hear it too, and one more. */
export interface SileroDetectorOptions extends EnergyDetectorOptions {
  /** How sure the network must be that there is speech, 0.1 to 0.95. More takes fewer noises for speech, and misses more. Default 0.5. */
  probability?: number;
}

const OPTIONS: OptionNames<SileroDetectorOptions> = {
  ...ENERGY_OPTIONS,
  probability: true,
};

const CHUNK_MS = 32;
/** What the network gets again of the chunk before, in milliseconds. */
const CONTEXT_MS = 4;
/** Speech that continues may be this much less likely than speech that begins. */
const HYSTERESIS = 0.15;
/** So many chunks before a sound are judged with it; the rest of a silence is never judged, which saves most of the time. */
const RUN_UP_CHUNKS = 8;
const FULL_SCALE = 32_768;

/** Hears speech where both the network and the energy detector hear it. */
class SileroDetector implements VoiceDetector {
  readonly hangoverMs: number;
  readonly #energy: EnergyDetector;
  readonly #rate: SileroRate;
  readonly #resampler: Resampler;
  readonly #cutter: BlockCutter;
  readonly #holdChunks: number;
  /** The end of the latest chunk. */
  #context: Float32Array;
  /** Chunks that have not been judged, each behind its context; the oldest first. */
  #chunks: Float32Array[] = [];
  /** Chunks between those and what has been judged before were left out. */
  #isBroken = true;
  #hadEnergy = false;
  /** Until all that the network was asked has been answered. */
  #judging: Promise<boolean> | undefined;
  #state = SileroModel.initialState;
  #isVoice = false;
  /** Chunks since the last one with speech. */
  #quiet = 0;

  constructor(
    private readonly model: SileroModel,
    sampleRate: number,
    private readonly probability: number,
    options: EnergyDetectorOptions,
  ) {
    this.#energy = new EnergyDetector(sampleRate, options);
    this.hangoverMs = this.#energy.hangoverMs;
    this.#rate = sampleRate === 8_000 ? 8_000 : 16_000;
    this.#resampler = new Resampler(sampleRate, this.#rate);
    this.#cutter = new BlockCutter((this.#rate * CHUNK_MS) / 1_000);
    this.#context = new Float32Array((this.#rate * CONTEXT_MS) / 1_000);
    this.#holdChunks = Math.ceil((options.hangoverMs ?? DEFAULT_HANGOVER_MS) / CHUNK_MS);
  }

  isSpeech(pcm: Int16Array): boolean | Promise<boolean> {
    const begins = !this.#hadEnergy;
    this.#hadEnergy = this.#energy.isSpeech(pcm);
    this.#cutter.cut(this.#resampler.process(pcm), (block) => this.#add(block));
    if (!this.#hadEnergy) {
      this.#leaveOut();
      return false;
    }
    if (!this.#judging && !begins && this.#chunks.length === 0) return this.#isVoice;
    return this.#ask(begins);
  }

  #add(block: Int16Array): void {
    const before = this.#context.length;
    const chunk = new Float32Array(before + block.length);
    chunk.set(this.#context);
    for (let i = 0; i < block.length; i += 1) chunk[before + i] = (block[i] as number) / FULL_SCALE;
    this.#context = chunk.subarray(-before);
    this.#chunks.push(chunk);
  }

  /** What came long before a sound is not judged. */
  #leaveOut(): void {
    if (this.#chunks.length <= RUN_UP_CHUNKS) return;
    this.#chunks.splice(0, this.#chunks.length - RUN_UP_CHUNKS);
    this.#isBroken = true;
  }

  #ask(begins: boolean): Promise<boolean> {
    const judging = this.#judge(this.#chunks, begins, this.#isBroken, this.#judging);
    this.#chunks = [];
    this.#isBroken = false;
    this.#judging = judging;
    const done = () => {
      if (this.#judging === judging) this.#judging = undefined;
    };
    judging.then(done, done);
    return judging;
  }

  /** @returns whether there is a voice at the end of these chunks */
  async #judge(
    chunks: readonly Float32Array[],
    begins: boolean,
    isBroken: boolean,
    earlier: Promise<boolean> | undefined,
  ): Promise<boolean> {
    await earlier;
    if (begins) this.#isVoice = false;
    if (isBroken) this.#state = SileroModel.initialState;
    for (const chunk of chunks) {
      const { probability, state } = await this.model.judge(chunk, this.#state, this.#rate);
      this.#state = state;
      this.#take(probability);
    }
    return this.#isVoice;
  }

  #take(probability: number): void {
    const isVoice = probability >= (this.#isVoice ? this.probability - HYSTERESIS : this.probability);
    this.#quiet = isVoice ? 0 : this.#quiet + 1;
    this.#isVoice = isVoice || (this.#isVoice && this.#quiet <= this.#holdChunks);
  }
}

/**
 * The neural network Silero VAD, version 5, together with the energy detector: both must hear speech, so coughs, clicks and steady
 * noise are none. By the package `@ricky0123/vad-web`, which has to be installed and brings `onnxruntime-web`. What it makes rejects
 * with VoicebotError VB_CONFIG_INVALID where it is not, and with VB_AUDIO_INVALID for a rate other than 8000, 16000, 24000 or 48000 Hz.
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is not known, or out of its range
 */
export function sileroDetector(options: SileroDetectorOptions = {}): CreateVoiceDetector {
  const { probability = 0.5, ...energy } = options;
  const problems = [
    ...unknownOptions(options, OPTIONS),
    ...rangeProblems({ probability: [probability, 0.1, 0.95] }),
    ...energyProblems(energy),
  ];
  refuseProblems(problems);
  return async (sampleRate) => new SileroDetector(await SileroModel.load(), sampleRate, probability, energy);
}
