import { ONE_UNSPACED, UNSPACED } from '../../base/unspaced-writing.js';
import type { HeardBy, TimelineEvent } from '../timeline.js';

/** A sentence that was typed for the caller to say, or that something else than the bot's ears has understood. */
export interface TypedSentence {
  readonly text: string;
  /** When it was typed, by the clock of the call's machine, milliseconds since the Unix epoch. */
  readonly at: number;
  /** How much of the caller had been understood by then: events `said`. */
  readonly after: number;
  /** It has been said to its end, or counts as said. */
  readonly isSaid: boolean;
  /** What has understood it, where it was spoken. */
  readonly by?: HeardBy;
}

/** What of the words of a sentence has to be understood for it to be that sentence. */
const ENOUGH = 0.4;

/** What the bot's ears have understood of the caller. */
export const callerSaidOf = (events: readonly TimelineEvent[]) =>
  events.flatMap((event) => (event.type === 'said' && event.speaker === 'caller' ? [event] : []));

/**
 * The sentences that the bot's ears have not understood, or not yet: in the place of the others stands what they were understood as.
 * One that has been said may have been understood as quite other words: what is understood next after it.
 */
export function notUnderstood<Typed extends TypedSentence>(
  typed: readonly Typed[],
  events: readonly TimelineEvent[],
): readonly Typed[] {
  const understood = callerSaidOf(events).map(({ text }, index) => ({ index, words: wordsIn(text) }));
  const isOpen = (fits: (sentence: Typed, words: readonly string[]) => boolean) => (sentence: Typed) => {
    const found = understood.findIndex(({ index, words }) => index >= sentence.after && fits(sentence, words));
    if (found >= 0) understood.splice(found, 1);
    return found < 0;
  };
  return typed.filter(isOpen(({ text }, words) => isSame(wordsIn(text), words))).filter(isOpen(({ isSaid }) => isSaid));
}

/** Whether words that may still change are those of a sentence that is shown anyway. */
export const isBeingTyped = (words: string, typed: readonly TypedSentence[]): boolean =>
  typed.some(({ text }) => isSame(wordsIn(words), wordsIn(text)));

function isSame(some: readonly string[], others: readonly string[]): boolean {
  const found = some.filter((word) => others.includes(word)).length;
  return found > 0 ? found >= ENOUGH * some.length : some.join() === others.join();
}

/** In writing without spaces each character counts as a word. */
const WORD = new RegExp(`(?=[\\p{L}\\p{N}])${ONE_UNSPACED}|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, 'gu');

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? [];
