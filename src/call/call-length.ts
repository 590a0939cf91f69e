import type { CallRecord } from './call-record.js';

/**
 * How long a call lasted, as terminal, page and lists tell it: while its two sides were connected, in milliseconds; undefined when they
 * never were.
 * @param now of a call that goes on, milliseconds since the Unix epoch
 */
export function callLengthMs(
  { connectedAt, answeredAt, endedAt }: Partial<Pick<CallRecord, 'connectedAt' | 'answeredAt' | 'endedAt'>>,
  now = Date.now(),
): number | undefined {
  const since = connectedAt ?? answeredAt;
  return since === undefined ? undefined : Math.max(0, (endedAt ?? now) - since);
}

/** The same of a call that has ended, as the runner knows it; until it has told that, as the phone has counted. */
export const endedLengthMs = (record: Partial<CallRecord> | undefined, countedMs: number): number =>
  (record?.endedAt !== undefined && callLengthMs(record)) || countedMs;

/** `3.9`: the tenths of a second that have passed, so that its seconds are those of a clock, which has passed `0:03`. */
export const passedSeconds = (ms: number): string => (Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1);
