import { join } from 'node:path';
import type { CallRecord } from '../call-record.js';
import type { TimelineEvent } from '../timeline.js';
import { allOf, recordingStartOf } from '../view/events.js';
import { readFolderText } from './folder-file.js';
import { FOLDER_VERSION } from './json-file.js';
import { type FolderAudio, readAudio } from './read-audio.js';
import { type Readable, readEvents } from './read-events.js';
import { isLive, readRecordFile, recordOf } from './read-record.js';
import { type TranscriptEntry, transcriptOf } from './transcript.js';

/** What is left of a call, or kept of one that goes on. */
export interface CallFolder {
  /** Absolute path. */
  readonly path: string;
  readonly record: CallRecord;
  /** In the order of their times. */
  readonly events: readonly TimelineEvent[];
  readonly transcript: readonly TranscriptEntry[];
  /** Missing where nothing was recorded. */
  readonly audio?: FolderAudio;
  /** Whether the call goes on. */
  readonly isLive: boolean;
  /** What should be there and is not, a sentence for each; while the call goes on, what is not written yet is none of it. */
  readonly missing: readonly string[];
}

/**
 * Reads the folder of a call as far as it goes: damaged, cut off, or of another version. Never rejects for what it finds.
 * @param path absolute
 */
export async function readCallFolder(path: string): Promise<CallFolder> {
  const [told, events] = await Promise.all([readRecordFile(path), readEvents(join(path, 'events.ndjson'))]);
  const live = await isLive(path, told.content);
  const callStartedAt = told.content?.startedAt ?? events.content[0]?.at ?? 0;
  const [transcript, audio] = await Promise.all([
    readTranscript(join(path, 'transcript.json'), events.content, live),
    readAudio(join(path, 'audio.wav'), recordingIn(events.content), callStartedAt),
  ]);
  const audioEnd = audio.content && audio.content.startedAt + audio.content.durationMs;
  const lastedUntil = Math.max(events.content.at(-1)?.at ?? 0, audioEnd ?? 0);
  const record = recordOf(path, told.content, events.content, lastedUntil, live);
  // The files of a call that goes on are being written, one after the other.
  const isGrowing = live && told.content !== undefined;
  const parts = isGrowing ? [told, record] : [told, record, events, transcript, audio];
  return {
    path,
    record: record.content,
    events: events.content,
    transcript: transcript.content,
    ...(audio.content && { audio: audio.content }),
    isLive: live,
    missing: [...new Set([...parts.flatMap(({ missing }) => missing), ...failuresIn(events.content)])],
  };
}

/** While the call goes on, and where nobody could write it, its events tell what was said. */
async function readTranscript(
  path: string,
  events: readonly TimelineEvent[],
  isLive: boolean,
): Promise<Readable<readonly TranscriptEntry[]>> {
  const text = isLive ? '' : await readFolderText(path).catch(() => '');
  if (text === '') return { content: transcriptOf(events), missing: [] };
  try {
    const { version, entries } = Object(JSON.parse(text));
    if (version === FOLDER_VERSION && Array.isArray(entries) && entries.every(isEntry))
      return { content: entries, missing: [] };
  } catch {}
  return {
    content: transcriptOf(events),
    missing: ['transcript.json is damaged: what was said is taken from the events.'],
  };
}

function isEntry(value: unknown): value is TranscriptEntry {
  const { speaker, text, startMs, endMs }: Partial<TranscriptEntry> = Object(value);
  const hasTimes = Number.isFinite(startMs) && Number.isFinite(endMs);
  return (speaker === 'caller' || speaker === 'bot') && typeof text === 'string' && hasTimes;
}

function recordingIn(events: readonly TimelineEvent[]): Parameters<typeof readAudio>[1] {
  const startedAt = recordingStartOf(events);
  if (startedAt === undefined) return undefined;
  return { startedAt, sampleRate: allOf(events, 'recording').find((event) => event.sampleRate)?.sampleRate };
}

function failuresIn(events: readonly TimelineEvent[]): string[] {
  const failed = allOf(events, 'recording').find(({ is }) => is === 'failed');
  if (!failed) return [];
  return [`The recording stopped during the call${failed.reason ? `: ${failed.reason}` : ''}.`];
}
