import type { TimelineEvent } from '../timeline.js';

/** A sentence that was typed for the caller to say. Times are milliseconds since the Unix epoch. */
export interface TypedSentence {
  readonly text: string;
  readonly at: number;
  /** It has been said to its end, or counts as said. */
  readonly isSaid: boolean;
}

/** What of the words of a sentence has to be understood for it to be that sentence. */
const ENOUGH = 0.4;
/** How much sooner than it was typed a sentence may seem to be heard, in milliseconds: two clocks. */
const CLOCKS_MS = 1_000;

/** The sentences that the bot's ears have not understood, or not yet: in the place of the others stands what they were understood as. */
export function notUnderstood<Typed extends TypedSentence>(
  typed: readonly Typed[],
  events: readonly TimelineEvent[],
): readonly Typed[] {
  const understood = events.flatMap((event) =>
    event.type === 'said' && event.speaker === 'caller' ? [{ at: event.at, words: wordsIn(event.text) }] : [],
  );
  return typed.filter((sentence) => {
    const found = understood.findIndex(
      ({ at, words }) => at >= sentence.at - CLOCKS_MS && isSame(wordsIn(sentence.text), words),
    );
    if (found >= 0) understood.splice(found, 1);
    return found < 0;
  });
}

/** Whether words that may still change are those of a sentence that is shown anyway. */
export const isBeingTyped = (words: readonly string[], typed: readonly TypedSentence[]): boolean =>
  typed.some(({ text }) => isSame(wordsIn(words.join(' ')), wordsIn(text)));

function isSame(some: readonly string[], others: readonly string[]): boolean {
  const found = some.filter((word) => others.includes(word)).length;
  return found > 0 ? found >= ENOUGH * some.length : some.join() === others.join();
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
