import { VoicebotError } from '../errors.js';
import { type OptionNames, refuseUnknownOptions } from '../names/option-names.js';
import { importOptionalPackage } from '../optional-package.js';
import { BlockCutter } from './block-cutter.js';
import { Resampler } from './resampler.js';
import { BLOCK_MS, SpeechHold } from './speech-hold.js';
import type { CreateVoiceDetector, VoiceDetector } from './voice-detector.js';

/** When {@link fvadDetector} hears speech. */
export interface FvadDetectorOptions {
  /** How little it takes for noise, from 0 (hears all speech, and noise) to 3 (hears little noise). Default 3. */
  mode?: 0 | 1 | 2 | 3;
  /** How much speech makes a beginning, in milliseconds, 10 to 500. Default 60. */
  onsetMs?: number;
  /** How long a gap may be that still counts as speech, beyond the 90 ms or so of its own, in milliseconds, 0 to 2000. Default 120. */
  hangoverMs?: number;
}

const OPTIONS: OptionNames<FvadDetectorOptions> = { mode: true, onsetMs: true, hangoverMs: true };

/**
 * What is used of the module that `@echogarden/fvad-wasm` makes: the functions of libfvad and the memory they work on.
 * @see https://github.com/dpirch/libfvad include/fvad.h
 */
interface Fvad {
  /** Replaced whenever the memory grows. */
  readonly HEAP16: Int16Array;
  _malloc(bytes: number): number;
  _fvad_new(): number;
  _fvad_free(instance: number): void;
  _fvad_set_mode(instance: number, mode: number): number;
  _fvad_set_sample_rate(instance: number, hertz: number): number;
  /** 1 for speech, 0 for none, -1 when the length does not fit. */
  _fvad_process(instance: number, samples: number, length: number): number;
}

const PACKAGE = '@echogarden/fvad-wasm';
/** libfvad brings every rate to this one itself. */
const SAMPLE_RATE = 8_000;
const BLOCK = (SAMPLE_RATE * BLOCK_MS) / 1_000;

/** How long libfvad itself still hears speech after its last sound, in milliseconds: the median of 420 sentences of five people. */
const OWN_HANGOVER_MS = 90;

/** One module serves all calls of a process; they share the place where the samples are laid. */
let loading: Promise<{ fvad: Fvad; samples: number }> | undefined;

/** Gives back what the detectors of finished calls held, under a kilobyte each. */
const forgotten = new FinalizationRegistry<() => void>((free) => free());

class FvadDetector implements VoiceDetector {
  readonly #blocks = new BlockCutter(BLOCK);
  readonly #resampler: Resampler;
  readonly #instance: number;

  constructor(
    private readonly fvad: Fvad,
    private readonly samples: number,
    private readonly hold: SpeechHold,
    readonly hangoverMs: number,
    sampleRate: number,
    mode: number,
  ) {
    this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
    const instance = fvad._fvad_new();
    if (instance === 0) throw new VoicebotError('VB_INTERNAL', `${PACKAGE} has no memory left`);
    this.#instance = instance;
    fvad._fvad_set_mode(instance, mode);
    fvad._fvad_set_sample_rate(instance, SAMPLE_RATE);
    forgotten.register(this, () => fvad._fvad_free(instance));
  }

  isSpeech(pcm: Int16Array): boolean {
    this.#blocks.cut(this.#resampler.process(pcm), (block) => {
      this.fvad.HEAP16.set(block, this.samples / Int16Array.BYTES_PER_ELEMENT);
      this.hold.take(this.fvad._fvad_process(this.#instance, this.samples, block.length) === 1);
    });
    return this.hold.isSpeech;
  }
}

/**
 * The voice detector of WebRTC, by the package `@echogarden/fvad-wasm`, which has to be installed. What it makes rejects with
 * VoicebotError VB_CONFIG_INVALID where it is not, and with VB_AUDIO_INVALID for a rate other than 8000, 16000, 24000 or 48000 Hz.
 * @throws VoicebotError VB_CONFIG_INVALID for an option that is not known, or out of its range
 */
export function fvadDetector(options: FvadDetectorOptions = {}): CreateVoiceDetector {
  refuseUnknownOptions(options, OPTIONS);
  const { mode = 3, onsetMs = 60, hangoverMs = 120 } = options;
  if (![0, 1, 2, 3].includes(mode)) throw new VoicebotError('VB_CONFIG_INVALID', `mode must be 0 to 3, got ${mode}`);
  const makeHold = () => new SpeechHold({ onsetMs, hangoverMs });
  makeHold(); // refuses bad options now, not when the first caller is there
  return async (sampleRate) => {
    loading ??= load();
    const { fvad, samples } = await loading;
    return new FvadDetector(fvad, samples, makeHold(), hangoverMs + OWN_HANGOVER_MS, sampleRate, mode);
  };
}

async function load(): Promise<{ fvad: Fvad; samples: number }> {
  const { default: instantiate } = await importFvad().catch((error: unknown) => {
    loading = undefined;
    throw new VoicebotError('VB_CONFIG_INVALID', `fvadDetector needs the package ${PACKAGE}`, {
      hint: `npm install ${PACKAGE}`,
      cause: error,
    });
  });
  const fvad: Fvad = await instantiate();
  return { fvad, samples: fvad._malloc(BLOCK * Int16Array.BYTES_PER_ELEMENT) };
}

/** The package has no types. */
const importFvad = () => importOptionalPackage(PACKAGE) as Promise<{ default: () => Promise<Fvad> }>;
