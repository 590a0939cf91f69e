import type { Exception } from '../../base/exception/exception.js';
import { passedSeconds } from '../call-length.js';
import type { TimelineEvent } from '../timeline.js';

/** An event of one kind. */
export type TimelineEventOf<Type extends TimelineEvent['type']> = Extract<TimelineEvent, { readonly type: Type }>;

/** The last event of these kinds. */
export function lastOf<Type extends TimelineEvent['type']>(
  events: readonly TimelineEvent[],
  ...types: readonly Type[]
): TimelineEventOf<Type> | undefined {
  return events.findLast((event) => (types as readonly string[]).includes(event.type)) as
    | TimelineEventOf<Type>
    | undefined;
}

export function allOf<Type extends TimelineEvent['type']>(
  events: readonly TimelineEvent[],
  ...types: readonly Type[]
): readonly TimelineEventOf<Type>[] {
  return events.filter((event) =>
    (types as readonly string[]).includes(event.type),
  ) as unknown as TimelineEventOf<Type>[];
}

/**
 * What has come of a transfer; undefined where it is not known.
 * @param events of the call since the transfer was asked for
 * @param endReason why the call has ended: a bot that has connected its caller is told no more
 */
export const transferOutcomeOf = (events: readonly TimelineEvent[], endReason: string | undefined) =>
  allOf(events, 'transfer_over')[0]?.status ?? (endReason === 'transferred' ? ('answered' as const) : undefined);

/** When the first sample of the recording was heard, milliseconds since the Unix epoch; undefined where nothing was recorded. */
export const recordingStartOf = (events: readonly TimelineEvent[]): number | undefined =>
  allOf(events, 'recording').find(({ startedAt }) => startedAt !== undefined)?.startedAt;

/** What was spoken at a time, a BCP 47 tag; undefined where the bot had not said. @param changes in the order of their times */
export const languageAt = (changes: readonly TimelineEventOf<'language_changed'>[], at: number): string | undefined =>
  changes.findLast((change) => change.at <= at)?.language;

/** Webhooks whose answer the carrier does not play. */
const UNPLAYED: ReadonlySet<string> = new Set(['/hangup', '/ring', '/machine', '/stream-status']);

/** A recorded line that the caller has heard: from its bot, or, where that has failed, from the runner. `text`: empty where it is not known. */
export function lineHeardIn(
  event: TimelineEvent,
): { readonly at: number; readonly name: string; readonly text: string } | undefined {
  if (event.type === 'line_played') {
    const { startedAt: at, line, text } = event;
    return { at, name: line === 'hold' ? 'hold line' : 'apology', text };
  }
  const isApology =
    event.type === 'document' && !UNPLAYED.has(event.path) && event.document.includes('/prompts/apology.wav');
  return isApology ? { at: event.at, name: 'apology', text: '' } : undefined;
}

/** Why a bot has failed, from a line that its process has written; undefined for any other line. */
export const botFailureIn = (line: string): string | undefined =>
  /^bot failed in call \S+ \(attempt \d+\): (.+?)(?: \{)?$/.exec(line)?.[1];

/** What a table has for a name. A folder may come from a version that knows more names than this one. */
export const known = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** What code of the bots has thrown. */
export const exceptionsIn = (events: readonly TimelineEvent[]): readonly Exception[] =>
  allOf(events, 'output').flatMap(({ exception }) => exception ?? []);

/** In the order of their times. Both processes of a call write, and what a bot notes reaches the runner some time later. */
export const inOrder = (events: readonly TimelineEvent[]): TimelineEvent[] => events.toSorted((a, b) => a.at - b.at);

/** `12.34 s` */
export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

/** `0.8 s`, `42 s`, `3 min 5 s`. */
export function inWords(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${passedSeconds(ms)} s`;
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A value from outside as text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
