import { visibleJson } from '../base/clean-text.js';
import { ERROR_SUMMARIES, type ErrorCode } from '../base/errors.js';
import type { LogFields } from '../base/logger.js';

/** How grave an entry of a run's log is. */
export type EntryLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * The fields that an entry may have. None holds what callers say, press or are called by: what is not named here is not written, since an
 * error, a reason or a name may hold words of anybody.
 */
const FIELDS = new Set([
  'advertise',
  'attempt',
  'bots',
  'callId',
  'calls',
  'carrier',
  'client',
  'cluster',
  'code',
  'count',
  'detail',
  'direction',
  'docs',
  'does',
  'endReason',
  'exitCode',
  'hint',
  'id',
  'kind',
  'line',
  'liveCalls',
  'machine',
  'maxBytes',
  'method',
  'model',
  'moved',
  'ms',
  'outcome',
  'path',
  'pid',
  'place',
  'port',
  'provider',
  'providerCallId',
  'receiver',
  'redis',
  'room',
  'runner',
  'runners',
  'sandbox',
  'seconds',
  'signal',
  'source',
  'standIns',
  'state',
  'status',
  'transport',
  'type',
  'version',
  'wasHeard',
]);

/** They may be nothing but digits and hyphens, and name no person. `line` is what a bot has written, where that is asked for. */
const KEPT = new Set(['callId', 'providerCallId', 'id', 'room', 'line', 'client']);

/**
 * Six digits or more, however they are grouped, that are no part of a word or of the address of a machine; eight or more in a row wherever they
 * stand, as behind the `%2B` of an address.
 */
const NUMBER =
  /(?<![\p{L}\p{N}]|\d\.)(?!(?:\d{1,3}\.){3}\d{1,3}(?![.\d]))\+?\d(?:[\s().\u2010-\u2015-]{0,2}\d){5,}(?![\p{L}\p{N}])|\d{8,}/gu;

/** A text of ours without what may be a telephone number. */
const withoutNumbers = (text: string): string => text.replace(NUMBER, '[number]');

/** What may stand in a log of an error: its code, and the line that the table has for it. Its own words may be those of anybody. */
export function loggedError(error: unknown): { readonly code: string | undefined; readonly message: string } {
  const { code }: { code?: unknown } = Object(error);
  const isCode = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code);
  const message = isCode ? ERROR_SUMMARIES[code as ErrorCode] : undefined;
  return { code: isCode ? code : undefined, message: message ?? 'something has failed' };
}

/**
 * A line of the log, without its end: JSON with time, level and message first.
 * @param message a text of ours that is always the same
 */
export function logEntry(time: Date, level: EntryLevel, message: string, fields: LogFields = {}): string {
  const { error, ...others } = fields;
  const known = { ...others, ...(error !== undefined && { code: loggedError(error).code }) };
  const kept = Object.entries(known).flatMap(([name, value]): Array<[string, unknown]> => {
    if (!FIELDS.has(name) || value === undefined || value === null) return [];
    if (typeof value === 'number' || typeof value === 'boolean') return [[name, value]];
    return typeof value === 'string' ? [[name, KEPT.has(name) ? value : withoutNumbers(value)]] : [];
  });
  const entry = { time: time.toISOString(), level, message: withoutNumbers(message), ...Object.fromEntries(kept) };
  return visibleJson(JSON.stringify(entry));
}
