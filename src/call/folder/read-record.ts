import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isGone } from '../../base/process/process-identity.js';
import type { CallRecord } from '../call-record.js';
import type { TimelineEvent } from '../timeline.js';
import { readFolderText } from './folder-file.js';
import { idInName } from './folder-name.js';
import { FOLDER_VERSION } from './json-file.js';
import { type Readable, whyUnread } from './read-events.js';
import { type RecordFile, recordIn } from './record-fields.js';

/** A folder in which something was written so long ago, in milliseconds, belongs to nobody who cannot be seen from here. */
const QUIET_MS = 10_000;
/** What a call that goes on adds to. */
const GROWING = ['audio.wav', 'events.ndjson', 'call.json'];

/** Reads `call.json`; never rejects. Undefined when it says nothing of a call. */
export async function readRecordFile(folder: string): Promise<Readable<RecordFile | undefined>> {
  const text = await readFolderText(join(folder, 'call.json')).catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== 'string') return { content: undefined, missing: [`call.json ${whyUnread(text)}.`] };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // as one that says nothing of a call
  }
  const name = basename(folder);
  const read = recordIn(json, { id: idInName(name), startedAt: dayOf(name) });
  if (!read) return { content: undefined, missing: ['call.json is damaged.'] };
  const { record, unusable } = read;
  const damage = unusable.length === 0 ? [] : [`call.json is damaged: ${unusable.join(', ')} cannot be used.`];
  return { content: record, missing: [...damage, ...versionNote(Object(json).version)] };
}

/** A sentence about a file of another version of voicebot. */
export function versionNote(version: unknown): string[] {
  if (version === FOLDER_VERSION) return [];
  const isNewer = typeof version === 'number' && version > FOLDER_VERSION;
  return [
    isNewer
      ? `It was written by a newer voicebot (version ${version} of the format): what is new in it is not shown.`
      : 'It was written by an older voicebot: what that did not write is not shown.',
  ];
}

/** Whether somebody still adds to the folder of a call: its runner, or a bot that goes on without one. */
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
  const { runner: _, ...known } = latest;
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
