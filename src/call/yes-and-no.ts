const list = (words: string): ReadonlySet<string> => new Set(words.split(', '));

/** What people say to take something, alone or behind or before other words of the list; by language, as plain words. */
const YES: ReadonlySet<string> = list(
  'yes, yes please, yeah, yep, yup, sure, of course, okay, ok, all right, alright, please do, put them through, put him through, ' +
    'put her through, i take it, i will take it, ill take it, ' +
    'ja, ja bitte, jawohl, klar, gerne, gern, natürlich, in ordnung, einverstanden, ich nehme an, durchstellen, bitte durchstellen, ' +
    'sí, si, sí por favor, si por favor, claro, claro que sí, claro que si, vale, de acuerdo, por supuesto, páseme, pásemelo, ' +
    "oui, oui s'il vous plaît, ouais, d'accord, bien sûr, volontiers, entendu, passez-le-moi, " +
    "sì, sì grazie, certo, certamente, va bene, d'accordo, volentieri, me lo passi, please, bitte, por favor, s'il vous plaît, per favore",
);

/** The same for what people do not take. */
const NO: ReadonlySet<string> = list(
  'no, nope, no thanks, no thank you, not now, not today, i cannot, i cant, i can not, ' +
    'nein, nee, nein danke, jetzt nicht, gerade nicht, geht nicht, leider nicht, ' +
    'no gracias, ahora no, no puedo, non, non merci, pas maintenant, je ne peux pas, no grazie, non ora, adesso no, non posso',
);

/** What was said to a question, in any of the languages: `no` wherever it is among the words. Undefined for anything else. */
export function yesOrNo(text: string): 'yes' | 'no' | undefined {
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\p{L}\p{N}'\s-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (saysOneOf(words, NO)) return 'no';
  return saysOneOf(words, YES) ? 'yes' : undefined;
}

const saysOneOf = (words: string, phrases: ReadonlySet<string>): boolean =>
  [...phrases].some((phrase) => ` ${words} `.includes(` ${phrase} `));
