const list = (words: string): readonly string[] => words.split(', ');

/** What listeners say to show that they listen, by language, as plain words: alone, none of it asks the bot to stop. */
export const BACKCHANNELS = {
  en: list(
    'uh-huh, uh huh, uhuh, mm, mmm, mhm, mm-hmm, mm hmm, mhmm, hm, hmm, mm-hm, ah, oh, aha, uh, um, ' +
      'uh-oh, huh, ha, haha, ha ha, okay, ok, okay okay, yeah, yeah yeah, yep, yup, yes, right, all right, ' +
      'alright, sure, i see, got it, good, great, cool, nice, fine, wow, oh okay, oh yeah, yeah okay, ' +
      'okay yeah, oh i see, of course, true, exactly',
  ),
  de: list(
    'mhm, hm, hmm, mm, mmh, aha, ah, oh, äh, ähm, ja, ja ja, jaja, jo, okay, ok, gut, genau, klar, ' +
      'richtig, stimmt, alles klar, verstehe, ach so, achso, so so, na gut, ja genau, ja okay',
  ),
  es: list(
    'ajá, aja, mm, mmm, mhm, hm, eh, ah, oh, sí, si, sí sí, si si, ya, vale, ok, okey, okay, claro, ' +
      'bueno, bien, exacto, entiendo, ya veo, de acuerdo, sí claro, muy bien',
  ),
  fr: list(
    "mm, mmm, mhm, hm, hum, euh, ah, oh, oui, oui oui, ouais, ok, okay, d'accord, daccord, bien, " +
      "très bien, bien sûr, exactement, voilà, je vois, ah oui, ah d'accord, c'est ça",
  ),
  it: list(
    'mm, mmm, mhm, hm, eh, ah, oh, sì, si, sì sì, si si, ok, okay, va bene, bene, certo, esatto, giusto, ' +
      "capisco, ho capito, d'accordo, chiaro, perfetto, sì certo",
  ),
} as const;

const PHRASES: ReadonlySet<string> = new Set(Object.values(BACKCHANNELS).flat());

/** Whether there is nothing but such words, in any of the languages, once or several times. False for no words at all. */
export function isBackchannel(text: string): boolean {
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}'\s-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return isMadeOf(words, PHRASES);
}

/** Whether plain words consist of some of the phrases, one after the other. False for no words at all. */
export function isMadeOf(words: string, phrases: ReadonlySet<string>): boolean {
  if (phrases.has(words)) return true;
  for (let at = words.indexOf(' '); at > 0; at = words.indexOf(' ', at + 1)) {
    if (phrases.has(words.slice(0, at)) && isMadeOf(words.slice(at + 1), phrases)) return true;
  }
  return false;
}
