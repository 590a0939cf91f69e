import { asCallId } from '../call-id.js';
import type { TimelineEvent } from '../timeline.js';
import { type Readable, readFolderText, whyUnread } from './folder-file.js';
import { isMoment, recordIn } from './read-record.js';

/**
 * Reads the events of a call, in the order of their times. Never rejects.
 * @param path of `events.ndjson`
 */
export async function readEvents(path: string): Promise<Readable<TimelineEvent[]>> {
  const text = await readFolderText(path).catch((error: NodeJS.ErrnoException) => error);
  if (typeof text !== 'string') return { content: [], missing: [`events.ndjson ${whyUnread(text)}.`] };
  const lines = text.split('\n');
  const events = lines.map(eventIn);
  const isCutOff = lines.at(-1) !== '' && events.at(-1) === undefined;
  const unread = events.filter((event, n) => event === undefined && lines[n] !== '').length - (isCutOff ? 1 : 0);
  return {
    content: events.filter((event) => event !== undefined).sort((a, b) => a.at - b.at),
    missing: [
      ...(unread > 0 ? [`${unread} of ${lines.length} lines of events.ndjson cannot be read.`] : []),
      ...(isCutOff ? ['The last line of events.ndjson is cut off.'] : []),
    ],
  };
}

/** Kinds that this version does not know are events too. */
function eventIn(line: string): TimelineEvent | undefined {
  try {
    const event: Partial<TimelineEvent> | null = JSON.parse(line);
    if (!isMoment(event?.at) || typeof event.type !== 'string') return undefined;
    if (event.type !== 'record') return event as TimelineEvent;
    const read = recordIn(event.record, { id: asCallId(''), startedAt: event.at });
    return read && ({ ...event, record: read.record } as TimelineEvent);
  } catch {
    return undefined;
  }
}
