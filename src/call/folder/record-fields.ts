import { cleanText } from '../../base/clean-text.js';
import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import type { ProcessIdentity } from '../../base/process/process-identity.js';
import type { CallState, EndReason } from '../call.js';
import { asCallId, asProviderCallId } from '../call-id.js';
import type { CallRecord } from '../call-record.js';

/** What `call.json` holds. While the call goes on `runner` is the process that keeps it. */
export type RecordFile = CallRecord & { readonly runner?: ProcessIdentity };

/** Of an identifier, a number, an address or a word, in characters. */
const MAX_TEXT = 256;
/** The latest moment that a date can hold, in milliseconds since the Unix epoch (ECMA-262, time values). */
const LATEST_MS = 8.64e15;
const MAX_COUNT = 1_000_000;

/** Whether a value is a moment, in milliseconds since the Unix epoch. */
export const isMoment = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= LATEST_MS;

/** A record as far as its fields can be used, and the names of those that are there and cannot. */
export interface ReadRecord {
  readonly record: RecordFile;
  readonly unusable: readonly string[];
}

/**
 * Reads a record that was written to the disk, by this version or by another one: what cannot be used is left out, or is what a record has at
 * least.
 * @param value of any form
 * @param otherwise for what a record cannot do without
 * @returns undefined for what says nothing of a call
 */
export function recordIn(value: unknown, otherwise: Pick<RecordFile, 'id' | 'startedAt'>): ReadRecord | undefined {
  if (!isFields(value) || Object.keys(value).length === 0) return undefined;
  const fields = new Fields(value);
  const id = fields.text('id');
  const providerCallId = fields.text('providerCallId');
  const runner = fields.get('runner', isProcess);
  const record: RecordFile = {
    id: id ? asCallId(id) : otherwise.id,
    ...(providerCallId && { providerCallId: asProviderCallId(providerCallId) }),
    direction: fields.get('direction', isOneOf('inbound', 'outbound')) ?? 'inbound',
    ...named('from', fields.text('from')),
    to: fields.text('to') ?? '',
    // A later version may know more words.
    state: (fields.text('state') as CallState | undefined) ?? 'ringing',
    attempt: fields.get('attempt', isCount) ?? 1,
    ...named('reconnects', fields.get('reconnects', isCount)),
    startedAt: fields.get('startedAt', isMoment) ?? otherwise.startedAt,
    ...named('answeredAt', fields.get('answeredAt', isMoment)),
    ...named('answeredBy', fields.get('answeredBy', isOneOf('person', 'machine'))),
    ...named('connectedAt', fields.get('connectedAt', isMoment)),
    ...named('endedAt', fields.get('endedAt', isMoment)),
    ...named('endReason', fields.text('endReason') as EndReason | undefined),
    ...named('runner', runner),
  };
  const missing = ['id', 'startedAt'].filter((name) => value[name] === undefined);
  return { record, unusable: [...missing, ...fields.unusable] };
}

class Fields {
  readonly unusable: string[] = [];

  constructor(private readonly fields: JsonFields) {}

  get<T>(name: string, fits: (value: unknown) => value is T): T | undefined {
    const value = this.fields[name];
    if (value === undefined) return undefined;
    if (fits(value)) return value;
    this.unusable.push(name);
    return undefined;
  }

  text(name: string): string | undefined {
    const text = this.get(name, (value) => typeof value === 'string');
    return text === undefined ? undefined : cleanText(text, MAX_TEXT);
  }
}

const named = <Name extends string, T>(name: Name, value: T | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };

const isOneOf =
  <Word extends string>(...words: readonly Word[]) =>
  (value: unknown): value is Word =>
    words.includes(value as Word);

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;

function isProcess(value: unknown): value is ProcessIdentity {
  if (!isFields(value)) return false;
  const { pid, startTime, host } = value;
  const isStartTime = startTime === undefined || typeof startTime === 'string';
  return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof host === 'string' && isStartTime;
}
