import type { AnswererPhrases } from './answerer-phrases.js';
import { ENGLISH } from './english.js';
import { FRENCH } from './french.js';
import { GERMAN } from './german.js';
import { ITALIAN } from './italian.js';
import { SPANISH } from './spanish.js';
import { beforeLast, type SpokenWords, spokenWords, wordsOnly } from './spoken-words.js';

/** What the words of who has answered say about who that is. */
export interface AnswererSigns {
  readonly wordCount: number;
  /** Only screening assistants say it. */
  readonly isScreener: boolean;
  /** A screening assistant, unless something follows that speaks for a person. */
  readonly isLikelyScreener: boolean;
  /** Only machines say it. */
  readonly isMachine: boolean;
  /** A machine, unless something follows that speaks for a person. */
  readonly isLikelyMachine: boolean;
  /** A question, or words about others. */
  readonly isLikelyPerson: boolean;
}

/** What a screening assistant, or who follows it, has said after it was told who calls and why. */
export type ScreeningTurn = 'machine' | 'asks again' | 'connects' | 'declines' | 'waits' | 'greets' | 'other';

const LANGUAGES: readonly AnswererPhrases[] = [ENGLISH, GERMAN, SPANISH, FRENCH, ITALIAN];
/** What a request weighs, in hints. */
const REQUEST_WEIGHT = 2;
const LIKELY_WEIGHT = 2;
/** A question elsewhere in the speech weighs against it. */
const LIKELY_WEIGHT_BESIDE_QUESTION = 3;

/** Of whole words; `_` is one word. */
const pattern = (sources: readonly string[]) =>
  new RegExp(`(?<= )(?:${sources.join('|').replaceAll('_', '(?:\\S+ )')})(?= )`, 'g');
const together = (of: keyof AnswererPhrases) => pattern(LANGUAGES.flatMap((language) => language[of]));
const eachOf = (of: keyof AnswererPhrases) =>
  LANGUAGES.flatMap((language) => language[of].map((one) => pattern([one])));

const PROOFS = together('proofs');
const PEOPLE = together('people');
const SCREENERS = together('screeners');
const ASKS_WHO = together('asksWho');
const REQUESTS = together('requests');
const HINTS = eachOf('hints');
const HELLO = new RegExp(`^ (?:${LANGUAGES.flatMap(({ hellos }) => hellos).join('|')})(?= )`);
const DECLINES = together('declines');
/** A message can be left: a person who does not want the call may have that said, too. */
const OFFERS = pattern([
  '(?:messages?|nachricht|mensajes?|recado|messaggio|beep|tone|ton|signalton|tono|senal|bip|segnale|voice ?mail|mailbox)',
]);
const TURNS: ReadonlyArray<readonly [ScreeningTurn, RegExp]> = [
  ['connects', together('connects')],
  ['asks again', together('asksAgain')],
  ['waits', together('waits')],
];

/** Finds phrases of one's own. @param phrases that only machines say */
export const ownPhrases = (phrases: readonly string[]): RegExp | undefined =>
  phrases.length > 0 ? pattern(phrases.map(wordsOnly)) : undefined;

/**
 * Looks for what machines, screening assistants and people say.
 * @param own phrases that are proof of a machine beside those that are known
 * @param unsure of the last so many words nothing is concluded but that a person speaks: the ears may still change them, and what follows may turn their meaning
 */
export function signsIn(spoken: string, own?: RegExp, unsure = 0): AnswererSigns {
  const words = spokenWords(spoken);
  const end = beforeLast(words.text, unsure);
  const isLikelyPerson = words.questions.length > 0 || has(PEOPLE, words.text);
  return {
    wordCount: words.count,
    isScreener: has(SCREENERS, words.text, end),
    isLikelyScreener: has(ASKS_WHO, words.text, end) && !has(PEOPLE, words.text),
    isMachine: has(PROOFS, words.text, end) || (own !== undefined && has(own, words.text, end)),
    isLikelyMachine: isLikelyMachine(words, end),
    isLikelyPerson,
  };
}

/** What is said to a caller who has told a screening assistant who calls and why. */
export function screeningTurn(spoken: string, own?: RegExp): ScreeningTurn {
  const { isMachine, isLikelyMachine, isScreener, isLikelyScreener } = signsIn(spoken, own);
  if (isScreener || isLikelyScreener) return 'asks again';
  const { text } = spokenWords(spoken);
  if (has(DECLINES, text) && !has(OFFERS, text)) return 'declines';
  if (isMachine || isLikelyMachine) return 'machine';
  if (HELLO.test(text)) return 'greets';
  return TURNS.find(([, regExp]) => has(regExp, text))?.[0] ?? 'other';
}

function isLikelyMachine({ text, questions }: SpokenWords, end: number): boolean {
  if (has(PEOPLE, text)) return false;
  const isTold = (regExp: RegExp) =>
    matches(regExp, text, end).some(([from]) => !questions.some((one) => from >= one[0] && from < one[1]));
  const weight = (isTold(REQUESTS) ? REQUEST_WEIGHT : 0) + HINTS.filter(isTold).length;
  return weight >= (questions.length > 0 ? LIKELY_WEIGHT_BESIDE_QUESTION : LIKELY_WEIGHT);
}

const has = (regExp: RegExp, text: string, end = text.length) => matches(regExp, text, end).length > 0;

/** Begins and ends of what matches and ends before `end`. */
const matches = (regExp: RegExp, text: string, end: number): Array<readonly [number, number]> =>
  [...text.matchAll(regExp)]
    .map((match) => [match.index, match.index + match[0].length] as const)
    .filter(([, to]) => to <= end);
