import type { WarmTerms } from '../../call/consult.js';
import type { Language } from '../pipeline/language.js';

const BY_KEY: Readonly<Record<Language, (key: string) => string>> = {
  en: (key) => `To take the call, press ${key}.`,
  de: (key) => `Um das Gespräch anzunehmen, drücken Sie die ${key}.`,
  es: (key) => `Para aceptar la llamada, pulse ${key}.`,
  fr: (key) => `Pour prendre l'appel, appuyez sur ${key}.`,
  it: (key) => `Per accettare la chiamata, prema ${key}.`,
};

const BY_YES: Readonly<Record<Language, string>> = {
  en: 'Would you like to take the call? Please say yes or no.',
  de: 'Möchten Sie das Gespräch annehmen? Sagen Sie bitte Ja oder Nein.',
  es: '¿Desea aceptar la llamada? Diga sí o no, por favor.',
  fr: "Souhaitez-vous prendre l'appel ? Dites oui ou non, s'il vous plaît.",
  it: 'Vuole accettare la chiamata? Dica sì o no, per favore.',
};

const NAMED_KEYS: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  '*': { en: 'star', de: 'Sterntaste', es: 'asterisco', fr: 'étoile', it: 'asterisco' },
  '#': { en: 'pound', de: 'Rautetaste', es: 'almohadilla', fr: 'dièse', it: 'cancelletto' },
};

/** What a destination is asked behind its briefing; undefined where it need not accept. */
export function acceptanceQuestion(
  { accept, key = '1' }: Pick<WarmTerms, 'accept' | 'key'>,
  language: Language,
): string | undefined {
  if (accept === 'answer') return undefined;
  return accept === 'yes' ? BY_YES[language] : BY_KEY[language](NAMED_KEYS[key]?.[language] ?? key);
}
