/** How the keys of a telephone that are no digits are called, and the sign between two factors. */
export interface KeyNames {
  readonly star: string;
  readonly pound: string;
  readonly times: string;
}

const ENGLISH: KeyNames = { star: 'star', pound: 'pound', times: 'times' };
const SPANISH: KeyNames = { star: 'asterisco', pound: 'almohadilla', times: 'por' };

/** By language, or by language and region where that has a word of its own. */
const NAMES: Readonly<Record<string, KeyNames>> = {
  en: ENGLISH,
  ...regions('en', 'GB IE AU NZ ZA IN SG', { ...ENGLISH, pound: 'hash' }),
  de: { star: 'Stern', pound: 'Raute', times: 'mal' },
  es: SPANISH,
  ...regions('es', '419 AR BO CL CO CR CU DO EC GT HN NI PA PE PR PY SV US UY VE', { ...SPANISH, pound: 'numeral' }),
  'es-MX': { ...SPANISH, pound: 'gato' },
  fr: { star: 'étoile', pound: 'dièse', times: 'fois' },
  it: { star: 'asterisco', pound: 'cancelletto', times: 'per' },
};
const WORDS: ReadonlySet<string> = new Set(
  Object.values(NAMES).flatMap((names) => Object.values(names).map((name: string) => name.toLowerCase())),
);

/** @returns undefined for a language whose words are not known, or a tag that is none. @param tag BCP 47, such as `es-MX` */
export function keyNames(tag: string): KeyNames | undefined {
  try {
    const { language, region } = new Intl.Locale(tag);
    return NAMES[`${language}-${region}`] ?? NAMES[language];
  } catch {
    return undefined;
  }
}

/** Whether a word may have been said for a `*` or a `#`, in any of the languages. */
export const isKeyName = (word: string): boolean => WORDS.has(word.toLowerCase());

function regions(language: string, list: string, names: KeyNames): Record<string, KeyNames> {
  return Object.fromEntries(list.split(' ').map((region) => [`${language}-${region}`, names]));
}
