/** What people say while they listen, by language: it asks for nothing, and is no answer to what is being said. In plain words. */
const BACKCHANNELS: Readonly<Record<string, readonly string[]>> = {
  any: ['mm', 'mmm', 'mhm', 'mm hm', 'mm-hm', 'mmhm', 'hm', 'hmm', 'hm-hm', 'm-hm', 'ah', 'aha', 'oh', 'uh', 'um'],
  en: ['uh-huh', 'uh huh', 'uhuh', 'okay', 'ok', 'yeah', 'yep', 'right', 'i see', 'sure', 'got it', 'all right'],
  de: ['ja', 'jaja', 'genau', 'ach so', 'achso', 'gut', 'klar', 'verstehe', 'alles klar'],
  es: ['sí', 'si', 'ajá', 'aja', 'vale', 'claro', 'ya', 'bueno', 'entiendo'],
  fr: ['oui', 'ouais', "d'accord", 'ah oui', 'je vois', 'voilà', 'voila'],
  it: ['sì', 'certo', 'capito', 'va bene', 'esatto'],
};

const PHRASES: ReadonlySet<string> = new Set(Object.values(BACKCHANNELS).flat());
const MOST_WORDS = Math.max(...[...PHRASES].map((phrase) => phrase.split(' ').length));

/** Whether there is nothing but such words, in any of the languages, once or several times. False for no words at all. */
export function isBackchannel(text: string): boolean {
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}'\s-]/gu, ' ')
    .split(/\s+/)
    .filter(Boolean);
  for (let at = 0; at < words.length; ) {
    const length = [...Array(MOST_WORDS).keys()]
      .map((more) => MOST_WORDS - more)
      .find((some) => at + some <= words.length && PHRASES.has(words.slice(at, at + some).join(' ')));
    if (length === undefined) return false;
    at += length;
  }
  return words.length > 0;
}
