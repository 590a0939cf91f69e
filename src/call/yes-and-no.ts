type Meaning = 'yes' | 'no' | 'beside';

const list = (phrases: string): string[] => phrases.split(', ');

/** What people say to take something; by language, as plain words. */
const YES = list(
  'yes, yeah, yep, yup, sure, of course, okay, ok, all right, alright, absolutely, please do, no problem, go ahead, i do, i will, i would, i can, ' +
    'put them through, put him through, put her through, put it through, put them on, put him on, put her on, ' +
    "i take it, i'll take it, i will take it, i can take it, ill take it, i'll take the call, i will take the call, " +
    'ja, jawohl, jep, klar, gerne, gern, natürlich, in ordnung, einverstanden, kein problem, ich nehme an, ich nehme ihn an, durchstellen, ' +
    'stellen sie durch, stell durch, verbinden sie, verbinden sie uns, mache ich, mach ich, genau, ' +
    'sí, si, claro, claro que sí, claro que si, vale, de acuerdo, por supuesto, cómo no, como no, no hay problema, páseme, pásemelo, pásemela, ' +
    'páseme la llamada, acepto, adelante, ' +
    "oui, ouais, d'accord, bien sûr, volontiers, entendu, pas de problème, passez-le-moi, passez-la-moi, je le prends, je la prends, je prends, " +
    "sì, certo, certamente, va bene, d'accordo, volentieri, nessun problema, me lo passi, me la passi, accetto",
);

/** The same for what people do not take. */
const NO = list(
  "no, nope, not now, not today, not really, i cannot, i can't, i cant, i can not, i don't, i do not, i won't, i will not, " +
    "i'm busy, i am busy, i'm in a meeting, i am in a meeting, i'm not available, i am not available, " +
    'nein, nee, nö, jetzt nicht, gerade nicht, geht nicht, leider nicht, lieber nicht, ' +
    'ahora no, ahora no puedo, hoy no, no puedo, non, pas maintenant, je ne peux pas, non ora, adesso no, non posso',
);

/** What neither takes nor refuses anything, and is no answer by itself: people say it beside one. */
const BESIDE = list(
  'please, thanks, thank you, hello, hi, well, oh, um, uh, hm, now, sorry, ' +
    'bitte, danke, danke schön, vielen dank, hallo, äh, ähm, leider, ' +
    "por favor, gracias, muchas gracias, hola, eh, s'il vous plaît, s'il vous plait, s'il te plaît, merci, bonjour, euh, désolé, " +
    'per favore, prego, grazie, pronto, ciao, mi dispiace',
);

/** Who begins with one of these refuses, whatever follows. `no` is not among them: `no sé` and `no le oigo` are no refusals. */
const REFUSAL = /^(nein|nee|nö|nope)\b/;

/** The longest first: `no problem` is not a `no`. */
const PHRASES: ReadonlyArray<readonly [string, Meaning]> = [
  ...YES.map((phrase) => [phrase, 'yes'] as const),
  ...NO.map((phrase) => [phrase, 'no'] as const),
  ...BESIDE.map((phrase) => [phrase, 'beside'] as const),
].sort(([one], [other]) => other.length - one.length);

/**
 * What was said to a question, in any of the languages. `yes` where all that was said means that; `no` where a clause does, whatever follows.
 * Undefined for anything else, as `Wie bitte?` and `I'm not sure`.
 */
export function yesOrNo(text: string): 'yes' | 'no' | undefined {
  const clauses = text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.,;:!?…]+/)
    .map((clause) =>
      clause
        .replace(/[^\p{L}\p{N}'\s-]/gu, ' ')
        .split(/\s+/)
        .filter(Boolean)
        .join(' '),
    )
    .filter((clause) => clause !== '');
  const meanings = clauses.map(meaningsOf);
  if (meanings.some((clause) => clause?.has('no'))) return 'no';
  return meanings.every(Boolean) && meanings.some((clause) => clause?.has('yes')) ? 'yes' : undefined;
}

/** Undefined where there are words that are in no list, and it is no refusal. */
function meaningsOf(clause: string): ReadonlySet<Meaning> | undefined {
  const meanings = new Set<Meaning>();
  for (let rest = clause; rest !== ''; ) {
    const found = PHRASES.find(([phrase]) => `${rest} `.startsWith(`${phrase} `));
    if (!found) return REFUSAL.test(clause) ? new Set(['no']) : undefined;
    const [phrase, meaning] = found;
    meanings.add(meaning);
    rest = rest.slice(phrase.length + 1);
  }
  return meanings;
}
