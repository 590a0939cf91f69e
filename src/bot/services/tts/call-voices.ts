import type { VoicebotError } from '../../../base/errors.js';
import { SpokenLanguage } from '../spoken-language.js';
import type { Voice, VoiceListener, VoiceSource } from './voice.js';
import { watchedVoice } from './watched-voice.js';

/** The voices of one call: one for each language that is spoken in it, made when it is first needed. */
export class CallVoices {
  #other: VoiceSource | undefined;
  #language: string | undefined;
  /** Whose voice speaks a language, by its tag. */
  readonly #sources = new Map<string, VoiceSource>();
  readonly #voices = new Map<VoiceSource, Voice>();
  /** Whose voice it was when something to say arrived. */
  readonly #kept = new WeakMap<object, VoiceSource>();
  readonly #spoken = new SpokenLanguage('the voice speaks');
  /** Undefined before the pipeline starts. */
  #sampleRate: number | undefined;

  /** @param own where no language was said; asked when it is first needed */
  constructor(
    private readonly own: () => VoiceSource,
    private readonly listener: VoiceListener,
  ) {}

  /** Whose voice speaks what comes from here on. */
  get source(): VoiceSource {
    return this.#other ?? this.own();
  }

  /** What is spoken in the call, BCP 47; undefined where the bot has not said so. */
  get language(): string | undefined {
    return this.#language;
  }

  /** The pipeline starts. @param sampleRate of its audio, in hertz */
  start(sampleRate: number): void {
    this.#sampleRate = sampleRate;
    this.#of(this.source)?.warmUp();
  }

  /** Another language is spoken from here on. @returns a warning, once for each language that there is no voice for */
  speak(language: string): VoicebotError | undefined {
    this.#language = language;
    const other = this.#sources.get(language) ?? this.own().inLanguage(language);
    this.#sources.set(language, other);
    this.#other = other;
    this.#of(this.source)?.warmUp();
    return this.#spoken.problemWith(language, other.language);
  }

  /** Something to say has arrived: this is whose voice says it, whatever is spoken by then. */
  keepFor(what: object, source = this.source): void {
    this.#kept.set(what, source);
  }

  keptFor(what: object): VoiceSource {
    return this.#kept.get(what) ?? this.source;
  }

  /**
   * Whose voice says the next utterance. One of the language that is spoken now was the last to arrive, so that the voices of
   * languages before are done. None before the pipeline starts.
   */
  next(source: VoiceSource): Voice | undefined {
    if (source === this.source) for (const other of this.#voices.keys()) if (other !== source) this.#letGo(other);
    return this.#of(source);
  }

  #of(source: VoiceSource): Voice | undefined {
    if (this.#sampleRate === undefined) return undefined;
    const voice = this.#voices.get(source) ?? watchedVoice(source, this.#sampleRate, this.#listenerOf(source));
    this.#voices.set(source, voice);
    return voice;
  }

  /** A voice that gives up ends no call in which another one speaks by now; asked again, it is made again. */
  #listenerOf(source: VoiceSource): VoiceListener {
    return {
      ...this.listener,
      troubled: (error) => {
        if (source === this.source) return this.listener.troubled(error);
        this.listener.troubled(error.asPassing());
        if (error.isFinal) queueMicrotask(() => this.#letGo(source)); // it tells its speech first
      },
    };
  }

  #letGo(source: VoiceSource): void {
    this.#voices.get(source)?.close();
    this.#voices.delete(source);
  }

  /** Lets go of all of them. May be called twice. */
  close(): void {
    for (const voice of this.#voices.values()) voice.close();
  }
}
