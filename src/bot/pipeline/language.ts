/** The languages in which a bot says what it says by itself. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'it';

const LANGUAGES: readonly string[] = ['en', 'de', 'es', 'fr', 'it'] satisfies readonly Language[];

/** @returns the language of a BCP 47 tag, such as `de-AT`; English for any other language, and without a tag */
export function languageOf(tag: string | undefined): Language {
  const language = subtagOf(tag) ?? 'en';
  return LANGUAGES.includes(language) ? (language as Language) : 'en';
}

/** @returns a sentence when `language` is given and is no well-formed BCP 47 tag */
export function languageProblems(language: unknown): string[] {
  if (language === undefined || subtagOf(language) !== undefined) return [];
  return [`language must be a BCP 47 tag, such as "en" or "de-AT", got ${JSON.stringify(language)}`];
}

/** In its shortest form: `de` of `deu-DE`, too. */
function subtagOf(tag: unknown): string | undefined {
  if (typeof tag !== 'string') return undefined;
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return undefined;
  }
}
