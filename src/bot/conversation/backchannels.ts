import { BACKCHANNELS } from '../../call/backchannels.js';
import type { Language } from '../pipeline/language.js';
import { plainWords } from './plain-words.js';

const setOf = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(plainWords));

const BY_LANGUAGE: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: setOf(BACKCHANNELS.en),
  de: setOf(BACKCHANNELS.de),
  es: setOf(BACKCHANNELS.es),
  fr: setOf(BACKCHANNELS.fr),
  it: setOf(BACKCHANNELS.it),
};

/** What listeners say to show that they listen, as {@link plainWords} writes it. */
export const backchannelsOf = (language: Language = 'en'): ReadonlySet<string> => BY_LANGUAGE[language];
