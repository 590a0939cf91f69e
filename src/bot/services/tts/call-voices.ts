import type { VoicebotError } from '../../../base/errors.js';
import { SpokenLanguage } from '../spoken-language.js';
import type { Voice, VoiceListener, VoiceSource } from './voice.js';

/** The voices of one call: one for each language that is spoken in it, made when it is first needed. */
export class CallVoices {
  #source: VoiceSource;
  #language: string | undefined;
  /** By the keys of their sources. */
  readonly #voices = new Map<string, Voice>();
  readonly #spoken = new SpokenLanguage('the voice speaks');
  /** Undefined before the pipeline starts. */
  #sampleRate: number | undefined;

  constructor(
    private readonly own: VoiceSource,
    private readonly listener: VoiceListener,
  ) {
    this.#source = own;
  }

  /** Whose voice speaks what comes from here on. */
  get source(): VoiceSource {
    return this.#source;
  }

  /** What is spoken in the call, BCP 47; undefined where the bot has not said so. */
  get language(): string | undefined {
    return this.#language;
  }

  /** The pipeline starts. @param sampleRate of its audio, in hertz */
  start(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    this.of(this.#source)?.warmUp();
  }

  /** Another language is spoken from here on. @returns a warning, once for each language that there is no voice for */
  speak(language: string): VoicebotError | undefined {
    this.#language = language;
    this.#source = this.own.inLanguage(language);
    this.of(this.#source)?.warmUp();
    return this.#spoken.problemWith(language, this.#source.language);
  }

  /** None before the pipeline starts. */
  of(source: VoiceSource): Voice | undefined {
    if (this.#sampleRate === undefined) return undefined;
    const { key } = source;
    const voice = this.#voices.get(key) ?? source.create(this.#sampleRate, this.listener);
    this.#voices.set(key, voice);
    return voice;
  }

  /** Lets go of all of them. May be called twice. */
  close(): void {
    for (const voice of this.#voices.values()) voice.close();
  }
}
