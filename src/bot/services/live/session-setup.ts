import type { VoicebotError } from '../../../base/errors.js';
import { subtag } from '../../pipeline/language.js';
import { SpokenLanguage } from '../spoken-language.js';
import { type LiveBriefing, NO_BRIEFING } from './live-briefing.js';
import type { ResolvedLiveOptions } from './live-options.js';
import type { LiveManner, LiveSettings } from './manner.js';
import type { LiveClientEvent } from './realtime-model.js';

/** What the sessions of a call are made with. */
export class SessionSetup {
  /** What is spoken, where nothing else was given. */
  #language: string | undefined;
  readonly #spoken = new SpokenLanguage('the words of the caller are written down in');

  constructor(
    private readonly options: ResolvedLiveOptions,
    private readonly manner: LiveManner,
    private readonly formats: Pick<LiveSettings, 'input' | 'output'>,
  ) {}

  /**
   * Another language is spoken from here on.
   * @param changed the caller's words are to be written down in it
   * @returns a warning, once for each language that they are not written down in
   */
  speak(language: string, changed: () => void): VoicebotError | undefined {
    const own = this.options.transcription?.language;
    if (own !== undefined) return this.#spoken.problemWith(language, own);
    if (this.#language !== subtag(language)) {
      this.#language = subtag(language);
      changed();
    }
    return undefined;
  }

  /** @param isNew false: the session may have spoken, and its voice cannot be set again then, not even to the same */
  event(briefing: LiveBriefing = NO_BRIEFING, isNew = true): LiveClientEvent {
    const { transcription: given, providerOptions } = this.options;
    const transcription = this.#language === undefined ? (given ?? {}) : { ...given, language: this.#language };
    const { instructions, tools } = briefing;
    const voice = isNew ? this.options.voice : undefined;
    const config = this.manner.config({ instructions, tools, voice, transcription, ...this.formats });
    return {
      type: 'session-update',
      config: { ...config, providerOptions: { ...config.providerOptions, ...providerOptions } },
    };
  }
}
