import { refuseProblems } from '../../base/names/option-names.js';

/** The languages in which a bot says what it says by itself. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'it';

const LANGUAGES: readonly string[] = ['en', 'de', 'es', 'fr', 'it'] satisfies readonly Language[];

/** @returns the language of a BCP 47 tag, such as `de-AT`; English for any other language, and without a tag */
export function languageOf(tag: string | undefined): Language {
  const language = subtagOf(tag) ?? 'en';
  return LANGUAGES.includes(language) ? (language as Language) : 'en';
}

/** @returns a sentence when `language` is given and is no well-formed BCP 47 tag */
export function languageProblems(language: unknown, name = 'language'): string[] {
  if (language === undefined || subtagOf(language) !== undefined) return [];
  return [`${name} must be a BCP 47 tag, such as "en" or "de-AT", got ${JSON.stringify(language)}`];
}

/** @returns the part of a well-formed BCP 47 tag that names the language, such as `de` of `de-AT` */
export const subtag = (tag: string): string => subtagOf(tag) ?? tag;

/** Whether two BCP 47 tags are of one language, whatever their regions. */
export const isSameLanguage = (one: string, other: string): boolean => subtag(one) === subtag(other);

/** A BCP 47 tag in its canonical form: `es-MX` of `ES-mx`. @throws VoicebotError VB_CONFIG_INVALID for one that is malformed */
export function canonicalLanguage(tag: string): string {
  refuseProblems(languageProblems(tag));
  return new Intl.Locale(tag).toString();
}

/** In its shortest form: `de` of `deu-DE`, too. Longer words such as `german` are well-formed, and no language has them. */
function subtagOf(tag: unknown): string | undefined {
  if (typeof tag !== 'string') return undefined;
  try {
    const { language } = new Intl.Locale(tag);
    return language.length <= 3 ? language : undefined;
  } catch {
    return undefined;
  }
}
