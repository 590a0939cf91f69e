import { VoicebotError } from '../../../base/errors.js';
import { type OptionNames, unknownOptions } from '../../../base/names/option-names.js';
import { EspeakProcess, type EspeakSettings } from './espeak-process.js';
import { PiecewiseVoice, type SayPiece } from './piecewise-voice.js';
import { TTS_OPTIONS, TtsService, type TtsServiceOptions } from './tts-service.js';
import type { Voice, VoiceListener } from './voice.js';

/** Which voice of espeak-ng speaks, and how. */
export interface EspeakTTSOptions extends TtsServiceOptions {
  /** Name of a voice, as `espeak-ng --voices` lists them, such as `en-us` or `de+f3`. Default `en`. */
  voice?: string | undefined;
  /** Words a minute, 80 to 450. Default 165. */
  speed?: number | undefined;
  /** 0 to 99. Default 50. */
  pitch?: number | undefined;
  /** Program to run. Default `espeak-ng`. */
  program?: string | undefined;
}

const OPTIONS: OptionNames<EspeakTTSOptions> = { ...TTS_OPTIONS, voice: true, speed: true, pitch: true, program: true };

/**
 * Speaks with the espeak-ng program of this machine: no key, no network, and it sounds like a machine. For trying things out and
 * for tests.
 * @see https://github.com/espeak-ng/espeak-ng
 */
export class EspeakTTS extends TtsService {
  readonly #settings: EspeakSettings;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is malformed, out of range or not known */
  constructor(options: EspeakTTSOptions = {}) {
    super(options);
    const { voice = 'en', speed = 165, pitch = 50, program = 'espeak-ng' } = options;
    const problems = unknownOptions(options, OPTIONS);
    if (!/^[a-z][\w+/-]*$/i.test(voice)) problems.push(`voice ${JSON.stringify(voice)} is malformed`);
    if (!(speed >= 80 && speed <= 450)) problems.push(`speed must be 80 to 450, got ${speed}`);
    if (!(pitch >= 0 && pitch <= 99)) problems.push(`pitch must be 0 to 99, got ${pitch}`);
    if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', problems.join('; '));
    this.#settings = { voice, speed, pitch, program };
  }

  protected override get needsKey(): boolean {
    return false;
  }

  protected override get voiceKey(): string {
    return `espeak ${JSON.stringify(this.#settings)}`;
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    const say: SayPiece = (text, pieceListener) => {
      const process = new EspeakProcess(this.#settings, sampleRate, text, pieceListener);
      return () => process.kill();
    };
    return new PiecewiseVoice(say, sampleRate, listener);
  }
}
