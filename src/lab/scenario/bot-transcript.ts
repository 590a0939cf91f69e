import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import { withLostSpeech } from '../../call/view/lost-speech.js';
import type { WordPattern } from './words.js';

/** What one side has said at one go. `atMs`: when it began, in milliseconds since the answer. */
export interface SpokenLine {
  readonly text: string;
  readonly atMs: number;
}

/** The recorded lines of a bot, such as "One moment, please.", where their text is known. */
export const recordedLinesOf = (events: readonly TimelineEvent[], answeredAt: number): SpokenLine[] =>
  allOf(events, 'line_played')
    .filter(({ text }) => text !== '')
    .map(({ text, startedAt }) => ({ text, atMs: Math.max(0, startedAt - answeredAt) }));

/** What a side has said: of the bot, what the caller has heard. */
export function linesOf(events: readonly TimelineEvent[], speaker: 'caller' | 'bot', answeredAt: number): SpokenLine[] {
  return allOf(withLostSpeech(events), 'said')
    .filter((said) => said.speaker === speaker && said.text !== '')
    .map(({ text, startedAt, at }) => ({ text, atMs: Math.max(0, (startedAt ?? at) - answeredAt) }));
}

/**
 * Finds patterns one after the other, each behind the one before.
 * @returns the first that is not there; undefined when all are
 */
export function firstMissing(lines: readonly SpokenLine[], patterns: readonly WordPattern[]): WordPattern | undefined {
  let text = lines.map((line) => line.text).join(' ');
  for (const pattern of patterns) {
    const rest = pattern.behindIn(text);
    if (rest === undefined) return pattern;
    text = rest;
  }
  return undefined;
}

/** Each sentence of the bot, without its mark at the end. */
export const sentencesOf = (lines: readonly SpokenLine[]): SpokenLine[] =>
  lines.flatMap(({ text, atMs }) =>
    text
      .split(/(?<=[.!?…])\s+/)
      .map((sentence) => sentence.replace(/[.!?…]+$/, '').trim())
      .filter((sentence) => /\p{L}/u.test(sentence))
      .map((sentence) => ({ text: sentence, atMs })),
  );
