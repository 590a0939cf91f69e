import { readFileSync } from 'node:fs';
import { type Answerer, AnswererJudge } from '../../../../src/bot/conversation/answerers/answerer-judge.js';

/** One answer to a dialled call, as it is really said. */
export interface Answer {
  readonly by: Exclude<Answerer, 'unknown'>;
  readonly text: string;
  /** It is taken for a person: the conversation talks to it, as without detection. */
  readonly isMissed: boolean;
}

/** How ears give the words of an answer. */
export interface Ears {
  readonly name: string;
  readonly punctuate: boolean;
  readonly hasInterims: boolean;
  /** What the final words come behind the sound, in milliseconds. */
  readonly lateMs: number;
  /** Words of a final result at most. */
  readonly wordsOfFinal: number;
}

export const EARS: readonly Ears[] = [
  { name: 'ears that punctuate', punctuate: true, hasInterims: true, lateMs: 300, wordsOfFinal: Infinity },
  { name: 'ears that do not', punctuate: false, hasInterims: true, lateMs: 400, wordsOfFinal: Infinity },
  { name: 'ears without interim results', punctuate: true, hasInterims: false, lateMs: 800, wordsOfFinal: Infinity },
  { name: 'ears that give six words at a time', punctuate: false, hasInterims: true, lateMs: 300, wordsOfFinal: 6 },
];

const BY = { p: 'person', m: 'machine', s: 'screener' } as const;
const WORD_MS = 300;
const STEP_MS = 100;
const PAUSE_MS = { '|': 500, '~': 1_300 } as const;
const DEFAULTS = { longGreetingMs: 10_000, humanSilenceMs: 1_200, decideWithinMs: 8_000, giveUpAfterMs: 20_000 };

/** The table of a language. Its first line says how it is written. */
export function answersIn(language: string): Answer[] {
  const lines = readFileSync(new URL(`${language}.txt`, import.meta.url), 'utf8').split('\n');
  return lines
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => ({
      by: BY[line.charAt(0).toLowerCase() as keyof typeof BY],
      text: line.slice(2),
      isMissed: /^[MS]/.test(line),
    }));
}

/** Who an answer is taken for. */
export function judged(text: string, ears: Ears): Answerer {
  const judge = new AnswererJudge(DEFAULTS);
  const sounds = (isSpeech: boolean, ms: number) => {
    for (let at = 0; at < ms; at += STEP_MS) judge.hearSound(isSpeech, STEP_MS);
  };
  const written = (words: string) => (ears.punctuate ? words : unpunctuated(words));
  for (const [, piece = '', pause = '~'] of text.matchAll(/([^|~]+)([|~])?/g)) {
    const words = piece.trim().split(/\s+/);
    let from = 0;
    for (let said = 1; said <= words.length; said += 1) {
      sounds(true, WORD_MS);
      if (ears.hasInterims) judge.hearWords(written(words.slice(from, said).join(' ')), true);
      if (said < words.length && said - from >= ears.wordsOfFinal) {
        judge.hearWords(written(words.slice(from, said).join(' ')));
        from = said;
      }
    }
    sounds(false, ears.lateMs);
    judge.hearWords(written(words.slice(from).join(' ')));
    sounds(false, Math.max(0, PAUSE_MS[pause as '|' | '~'] - ears.lateMs));
  }
  sounds(false, 4_000);
  return judge.verdict;
}

const unpunctuated = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}'’ -]/gu, '');
