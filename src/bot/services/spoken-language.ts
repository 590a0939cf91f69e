import { VoicebotError } from '../../base/errors.js';
import { languageName } from '../../call/language-name.js';
import { isSameLanguage } from '../pipeline/language.js';

/** Whether a service of a call speaks what is spoken in it; each language that it does not is told once. */
export class SpokenLanguage {
  readonly #told = new Set<string>();

  /** @param does such as `the voice speaks` */
  constructor(private readonly does: string) {}

  /**
   * @param wanted what is spoken in the call, BCP 47
   * @param own what the service speaks; undefined: any language
   * @returns a warning, once for each language
   */
  problemWith(wanted: string, own: string | undefined): VoicebotError | undefined {
    if (own === undefined || isSameLanguage(wanted, own) || this.#told.has(wanted)) return undefined;
    this.#told.add(wanted);
    return new VoicebotError(
      'VB_CONFIG_INVALID',
      `the call is in ${languageName(wanted)}, and ${this.does} ${languageName(own)}`,
    );
  }
}
