import { VoicebotError } from '../../errors.js';
import { type OptionNames, unknownOptions } from '../../names/option-names.js';
import { EspeakProcess, type EspeakSettings } from './espeak-process.js';
import { TTS_OPTIONS, TtsService, type TtsServiceOptions } from './tts-service.js';
import type { Speech, SpeechListener, Voice, VoiceListener } from './voice.js';

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

  protected override get voiceKey(): string {
    return `espeak ${JSON.stringify(this.#settings)}`;
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return new EspeakVoice(this.#settings, sampleRate, listener);
  }
}

class EspeakVoice implements Voice {
  #speech: EspeakSpeech | undefined;

  constructor(
    private readonly settings: EspeakSettings,
    readonly sampleRate: number,
    private readonly listener: VoiceListener,
  ) {}

  warmUp(): void {}

  speak(listener: SpeechListener): Speech {
    this.#speech?.cancel();
    this.#speech = new EspeakSpeech(this.settings, this.sampleRate, {
      ...listener,
      failed: (error) => {
        this.listener.troubled(error);
        listener.failed(error);
      },
    });
    return this.#speech;
  }

  close(): void {
    this.#speech?.cancel();
  }
}

/** One process for each sentence, one after the other. */
class EspeakSpeech implements Speech {
  readonly #texts: string[] = [];
  #process: EspeakProcess | undefined;
  #said = 0;
  #isEnded = false;
  #isOver = false;

  constructor(
    private readonly settings: EspeakSettings,
    private readonly sampleRate: number,
    private readonly listener: SpeechListener,
  ) {}

  say(text: string): void {
    this.#texts.push(text);
    this.#next();
  }

  end(): void {
    this.#isEnded = true;
    this.#next();
  }

  cancel(): void {
    this.#isOver = true;
    this.#process?.kill();
  }

  #next(): void {
    if (this.#isOver || this.#process) return;
    const text = this.#texts[this.#said];
    if (text !== undefined) this.#process = this.#start(text);
    else if (this.#isEnded) {
      this.#isOver = true;
      this.listener.done();
    }
  }

  #start(text: string): EspeakProcess {
    return new EspeakProcess(this.settings, this.sampleRate, text, {
      audio: (pcm) => {
        if (!this.#isOver) this.listener.audio(pcm);
      },
      over: (error) => {
        this.#process = undefined;
        if (this.#isOver) return;
        if (error) {
          this.#isOver = true;
          this.listener.failed(error);
          return;
        }
        this.#said += 1;
        this.listener.said(this.#said);
        this.#next();
      },
    });
  }
}
