import { endsSentence, isQuestion } from './ears-habits.js';
import { plainWords } from './plain-words.js';

/**
 * How the caller's words end:
 * - `answer`: a word or some, to a question of the bot's that was open;
 * - `finished`: a sentence with its full stop, or words that say themselves that they are all;
 * - `unmarked`: words of ears that do not punctuate, or of which that is not known;
 * - `unfinished`: no full stop, from ears that write them;
 * - `goes_on`: more is to come, whatever the full stop says.
 */
export type TurnEnding = 'answer' | 'finished' | 'unmarked' | 'unfinished' | 'goes_on';

/** What is known beside the words. */
export interface Evidence {
  /** The last words of the bot that were heard are a question. */
  readonly wasAsked: boolean;
  /** These ears write full stops; undefined while not known. */
  readonly punctuate: boolean | undefined;
}

/** How long the bot is silent after the caller's last sound, as multiples of `silenceMs` and of `unfinishedSilenceMs`. */
interface Hold {
  readonly of: 'silenceMs' | 'unfinishedSilenceMs';
  readonly times: number;
  /** Whether what this caller's pauses have taught makes it longer. */
  readonly learns: boolean;
}

/**
 * The rule: evidence, and how long the answer is held. Nothing is heard sooner, however soon it is there.
 *
 * ```text
 * last sound                0.8 s              1.2 s             1.6 s
 *   |--- answer, finished --->| heard
 *   |--- unmarked -------------->| heard
 *   |--- finished, in the first turns, or of a caller who pauses -->| heard
 *   |--- unfinished ------------------------------->| heard
 *   |--- goes_on --------------------------------------------------->| heard
 *   |--- the caller goes on: the answer is thrown away, and asked for again -->
 * ```
 */
export const HOLDS: Readonly<Record<TurnEnding, Hold>> = {
  answer: { of: 'silenceMs', times: 1, learns: false },
  finished: { of: 'silenceMs', times: 1, learns: true },
  unmarked: { of: 'silenceMs', times: 1.1, learns: true },
  unfinished: { of: 'unfinishedSilenceMs', times: 0.85, learns: true },
  goes_on: { of: 'unfinishedSilenceMs', times: 1, learns: true },
};

/** Words of an answer at most: "yes please", "the second one". */
const ANSWER_WORDS = 3;
/** After these, in any case, the sentence goes on: conjunctions and fillers of five languages that end no sentence. */
const JOINS = new Set(
  (
    'and but or so because um umm uhm uh er erm und aber oder weil äh ähm dass y pero porque eh ' +
    'et mais ou parce euh donc cioè perché'
  ).split(' '),
);
/** "I think so." is a whole sentence; "It was blue, so." is none. */
const ENDS_WITH_SO = /(?:think|hope|guess|believe|suppose|say|said|do|does|did|afraid|me|be|not) so$/;
/** After these it goes on where no full stop stands: other conjunctions, articles, prepositions, pronouns that own, forms of "be". */
const LEADS = new Set(
  (
    'like well if when that which also wenn e o este pues que si quand ed ma allora che se ' +
    "the a an my your our his her their its to of for with in on at from by about is are was i i'm i'd it's i'll we " +
    'der die das den dem ein eine einen mein meine zu von für mit in auf an bei ist ich ' +
    'el la los las un una mi su de para con en por es son mon ma le les une de à pour avec dans sur est je ' +
    'il lo gli i uno di a da per è sono mio mia'
  ).split(' '),
);
const NUMBER_WORDS = new Set(
  (
    'zero oh one two three four five six seven eight nine double triple ' +
    'null eins zwei zwo drei vier fünf sechs sieben acht neun cero uno dos tres cuatro cinco seis siete ocho nueve ' +
    'zéro un deux trois quatre cinq sept huit neuf due tre quattro cinque sei sette otto nove'
  ).split(' '),
);
/** A number of so many digits is being dictated in groups: fewer are a price or an hour, more are a whole telephone number. */
const DICTATED = { least: 3, most: 9 } as const;
/** A name is being spelled when so many letters stand at the end. */
const SPELLED_LETTERS = 2;

/** How the caller's words end, as far as words tell. */
export function endingOf(text: string, { wasAsked, punctuate }: Evidence): TurnEnding {
  const plain = plainWords(text);
  const words = plain.split(' ').filter(Boolean);
  const last = words.at(-1) ?? '';
  const isWhole = endsSentence(text);
  if (isQuestion(text)) return 'finished';
  if (
    /(?:\.\.\.|…|[,;:–—-])\s*$/.test(text) ||
    (JOINS.has(last) && words.length > 1 && !(isWhole && ENDS_WITH_SO.test(plain)))
  )
    return 'goes_on';
  if (isDictated(words, text) || isSpelled(words)) return 'goes_on';
  if (!isWhole && LEADS.has(last) && words.length > 1) return 'goes_on';
  if (wasAsked && words.length <= ANSWER_WORDS) return 'answer';
  if (isWhole) return 'finished';
  return punctuate ? 'unfinished' : 'unmarked';
}

function isDictated(words: readonly string[], text: string): boolean {
  if (/\d:\d\d\W*$/.test(text)) return false; // an hour
  let digits = 0;
  for (const word of words.toReversed()) {
    const plain = word.replace(/-/g, '');
    if (/^\d+$/.test(plain)) digits += plain.length;
    else if (NUMBER_WORDS.has(plain)) digits += 1;
    else break;
  }
  return digits >= DICTATED.least && digits <= DICTATED.most;
}

function isSpelled(words: readonly string[]): boolean {
  const letters = words.slice(-1)[0]?.includes('-') ? (words.at(-1) ?? '').split('-') : words.slice(-SPELLED_LETTERS);
  return letters.length >= SPELLED_LETTERS && letters.every((letter) => /^\p{L}$/u.test(letter));
}
