import { cleanText } from '../../base/clean-text.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import { ladderOf } from '../../call/view/ladder.js';
import { withLostSpeech } from '../../call/view/lost-speech.js';
import { type TranscriptItem, transcriptOf } from '../../call/view/transcript.js';

/** Of a line, in characters: an agent reads all of it. */
const MAX_LINE = 1_000;
/** Of what is behind a message. */
const MAX_DETAIL = 200;

/** Milliseconds since the Unix epoch; of a call that was not answered, when it began. */
export function answerTimeOf(events: readonly TimelineEvent[]): number {
  const answered = allOf(events, 'record').find(({ record }) => record.answeredAt !== undefined);
  return answered?.record.answeredAt ?? events[0]?.at ?? 0;
}

/** `3.2 s`, as each line begins: since the answer. */
export const callTime = (ms: number): string => `${(ms / 1_000).toFixed(1).replace('-0.0', '0.0')} s`;

/** A line at its time since the answer, in milliseconds. */
export const line = (ms: number, text: string) => `${callTime(ms)}  ${cleanText(text, MAX_LINE)}`;

/** What was said, as it came to be known. */
export function saidLines(events: readonly TimelineEvent[]): string[] {
  const origin = answerTimeOf(events);
  return allOf(withLostSpeech(events), 'said')
    .filter(({ text }) => text !== '')
    .map(({ at, startedAt, speaker, text }) => line((startedAt ?? at) - origin, `${speaker}: ${text}`));
}

/** What was said and done, in the order in which it began. */
export function transcriptLines(events: readonly TimelineEvent[]): string[] {
  const origin = answerTimeOf(events);
  return transcriptOf(events).map((item) => line(item.at - origin, inLine(item)));
}

/** What provider, runner and bot told each other. */
export function timelineLines(events: readonly TimelineEvent[]): string[] {
  const origin = answerTimeOf(events);
  return ladderOf(events).map(({ at, from, to, label, detail, count = 1 }) => {
    const who = from === to ? from : `${from} -> ${to}`;
    const more = [count > 1 && ` × ${count}`, detail && ` (${cleanText(detail, MAX_DETAIL)})`].filter(Boolean);
    return line(at - origin, `${who}: ${label}${more.join('')}`);
  });
}

/** What was said or done, in words. */
export function inLine(item: TranscriptItem): string {
  switch (item.kind) {
    case 'said': {
      const rest = item.unheard && `[not heard: ${item.unheard}]`;
      return `${item.speaker}: ${[item.text, rest, item.wasInterrupted && '(interrupted)'].filter(Boolean).join(' ')}`;
    }
    case 'tool': {
      const called = `bot calls ${item.name}(${JSON.stringify(item.input) ?? ''})`;
      if (item.ms === undefined) return called;
      return `${called}: ${item.isError ? 'failed with' : 'returned'} ${JSON.stringify(item.output) ?? 'nothing'}`;
    }
    case 'transfer':
      return `transfer to ${item.to}: ${item.status ?? 'under way'}${item.detail ? ` (${item.detail})` : ''}`;
    case 'keys':
      return `${item.direction === 'in' ? 'caller' : 'bot'} presses ${item.keys}`;
    case 'note':
      return item.text;
  }
}
