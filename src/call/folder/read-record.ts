import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cleanText } from '../../base/clean-text.js';
import { isFields, type JsonFields, parseFields } from '../../base/http/json-fields.js';
import { microsOf } from '../../base/money.js';
import { isGone, type ProcessIdentity } from '../../base/process/process-identity.js';
import type { CallState, EndReason } from '../call.js';
import type { CallCost } from '../call-cost.js';
import { asCallId, asProviderCallId } from '../call-id.js';
import type { CallRecord } from '../call-record.js';
import type { HeardNotice } from '../disclosure.js';
import { type AskedNotToBeCalled, DO_NOT_CALL_WAYS } from '../do-not-call.js';
import type { CallSummary, PlacedCall } from '../placed-call.js';
import type { TimelineEvent } from '../timeline.js';
import { FOLDER_VERSION, type Readable, readFolderText, whyUnread } from './folder-file.js';
import { idInName } from './folder-name.js';

/** A folder in which something was written so long ago, in milliseconds, no longer belongs to a process of another machine. */
const QUIET_MS = 10_000;
/** What a call that goes on adds to. */
const GROWING = ['audio.wav', 'events.ndjson', 'call.json'];

/** Reads `call.json`; never rejects. Undefined when it says nothing of a call. */
export async function readRecordFile(folder: string): Promise<Readable<RecordFile | undefined>> {
  const text = await readFolderText(join(folder, 'call.json')).catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== 'string') return { content: undefined, missing: [`call.json ${whyUnread(text)}.`] };
  const json = parseFields(text); // what is no object says nothing of a call
  const name = basename(folder);
  const read = recordIn(json, { id: idInName(name), startedAt: dayOf(name) });
  if (!read) return { content: undefined, missing: ['call.json is damaged.'] };
  const { record, unusable } = read;
  const damage = unusable.length === 0 ? [] : [`call.json is damaged: ${unusable.join(', ')} cannot be used.`];
  return { content: record, missing: [...damage, ...versionNote(json?.version)] };
}

/** A sentence about a file of another version of voicebot. */
function versionNote(version: unknown): string[] {
  if (version === FOLDER_VERSION) return [];
  const isNewer = typeof version === 'number' && version > FOLDER_VERSION;
  return [
    isNewer
      ? `It was written by a newer voicebot (version ${version} of the format): what is new in it is not shown.`
      : 'It was written by an older voicebot: what that did not write is not shown.',
  ];
}

/** Whether a process still adds to the folder of a call: its runner, or a bot that goes on without one. */
export async function isLive(folder: string, record: RecordFile | undefined): Promise<boolean> {
  if (record?.state === 'ended') return false;
  if (record?.runner && isGone(record.runner, record.startedAt) === false) return true;
  const times = await Promise.all(
    GROWING.map((name) =>
      stat(join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Date.now() - Math.max(...times) < QUIET_MS;
}

/**
 * The record of a call, as far as it is known.
 * @param told what `call.json` says
 * @param lastedUntil when something has happened in it last, milliseconds since the Unix epoch
 */
export function recordOf(
  folder: string,
  told: RecordFile | undefined,
  events: readonly TimelineEvent[],
  lastedUntil: number | undefined,
  isStillLive: boolean,
): Readable<CallRecord> {
  const noted = events.findLast((event) => event.type === 'record')?.record as RecordFile | undefined;
  const final = [told, noted].find((record) => record?.state === 'ended');
  const latest: RecordFile = final ?? told ?? noted ?? bareRecord(folder, events);
  const { runner: _, summary: __, ...known } = latest;
  if (known.state === 'ended' || isStillLive) return { content: known, missing: [] };
  return {
    content: { ...known, state: 'ended', endedAt: Math.max(known.startedAt, lastedUntil ?? 0) },
    missing: ['How the call ended is missing: its runner was gone before. It is shown as far as it was kept.'],
  };
}

/** All that a folder's name and events tell of a call. */
function bareRecord(folder: string, events: readonly TimelineEvent[]): RecordFile {
  const name = basename(folder);
  const startedAt = events[0]?.at ?? dayOf(name);
  return { id: idInName(name), direction: 'inbound', from: '', to: '', state: 'ringing', attempt: 1, startedAt };
}

/** When the day of a folder's name began, in milliseconds since the Unix epoch. */
const dayOf = (name: string): number => Date.parse(name.slice(0, 'yyyy-mm-dd'.length)) || 0;

/** What `call.json` holds. While the call goes on `runner` is the process that keeps it. */
export type RecordFile = CallRecord & Pick<PlacedCall, 'summary'> & { readonly runner?: ProcessIdentity };

const isTrue = (value: unknown): value is true => value === true;

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
  const linkedTo = fields.text('linkedTo');
  const runner = fields.get('runner', isProcess);
  const record: RecordFile = {
    id: id ? asCallId(id) : otherwise.id,
    ...(providerCallId && { providerCallId: asProviderCallId(providerCallId) }),
    direction: fields.get('direction', isOneOf('inbound', 'outbound')) ?? 'inbound',
    ...named('from', fields.text('from')),
    to: fields.text('to') ?? '',
    ...named('linkedTo', linkedTo ? asCallId(linkedTo) : undefined),
    ...named('consulted', fields.get('consulted', areIds)?.map(asCallId)),
    ...named('isLocal', fields.get('isLocal', isTrue)),
    ...named('botFile', fields.text('botFile')),
    // A later version may know more words.
    state: (fields.text('state') as CallState | undefined) ?? 'ringing',
    attempt: fields.get('attempt', isCount) ?? 1,
    ...named('reconnects', fields.get('reconnects', isCount)),
    startedAt: fields.get('startedAt', isMoment) ?? otherwise.startedAt,
    ...named('answeredAt', fields.get('answeredAt', isMoment)),
    ...named('answeredBy', fields.get('answeredBy', isOneOf('person', 'machine'))),
    ...named('doNotCall', fields.get('doNotCall', isAsked)),
    ...named('connectedAt', fields.get('connectedAt', isMoment)),
    ...named('disclosure', fields.get('disclosure', isHeardNotice)),
    ...named('recordingNotice', fields.get('recordingNotice', isHeardNotice)),
    ...named('recordingRemovedAt', fields.get('recordingRemovedAt', isMoment)),
    ...named('endedAt', fields.get('endedAt', isMoment)),
    ...named('endReason', fields.text('endReason') as EndReason | undefined),
    ...named('cost', fields.get('cost', isCost)),
    ...named('runner', runner),
    ...named('summary', fields.get('summary', isSummary)),
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

const areIds = (value: unknown): value is string[] => Array.isArray(value) && value.every(isFit);

const isFit = (text: unknown) => typeof text === 'string' && text.length <= MAX_TEXT;

function isCost(value: unknown): value is CallCost {
  if (!isFields(value) || !Array.isArray(value.parts)) return false;
  const isWhole = ({ currency, amount, isComplete }: JsonFields) =>
    isFit(currency) && isAmount(amount) && typeof isComplete === 'boolean';
  const isPart = (part: unknown) =>
    isFields(part) &&
    [part.service, part.provider, part.unit].every(isFit) &&
    [part.model, part.direction, part.to].every((text) => text === undefined || isFit(text)) &&
    typeof part.units === 'number' &&
    (part.amount === undefined || isAmount(part.amount));
  return isWhole(value) && /^[A-Z]{3}$/.test(String(value.currency)) && value.parts.every(isPart);
}

const isAmount = (value: unknown) => typeof value === 'string' && microsOf(value) !== undefined;

function isSummary(value: unknown): value is CallSummary {
  if (!isFields(value)) return false;
  const { lastWords, answerMs, thrown } = value;
  const { speaker, text } = isFields(lastWords) ? lastWords : {};
  const isSaid = isOneOf('caller', 'bot')(speaker) && isFit(text);
  const { error, place } = isFields(thrown) ? thrown : {};
  const isThrown = isFit(error) && (place === undefined || isFit(place));
  return (
    (lastWords === undefined || isSaid) &&
    (answerMs === undefined || isMoment(answerMs)) &&
    (thrown === undefined || isThrown)
  );
}

function isHeardNotice(value: unknown): value is HeardNotice {
  if (!isFields(value)) return false;
  const { text, from, to, evidence, heardBy } = value;
  const isKnown = isOneOf('acknowledged', 'sent')(evidence) && (heardBy === undefined || isFit(heardBy));
  return isFit(text) && isMoment(from) && isMoment(to) && isKnown;
}

function isAsked(value: unknown): value is AskedNotToBeCalled {
  if (!isFields(value)) return false;
  const { how, at, toldAt } = value;
  return isOneOf(...DO_NOT_CALL_WAYS)(how) && isMoment(at) && (toldAt === undefined || isMoment(toldAt));
}

function isProcess(value: unknown): value is ProcessIdentity {
  if (!isFields(value)) return false;
  const { pid, startTime, host } = value;
  const isStartTime = startTime === undefined || typeof startTime === 'string';
  return Number.isSafeInteger(pid) && Number(pid) > 0 && typeof host === 'string' && isStartTime;
}
