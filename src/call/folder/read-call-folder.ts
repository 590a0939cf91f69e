import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallRecord } from '../call-record.js';
import type { TimelineEvent } from '../timeline.js';
import { allOf, recordingStartOf } from '../view/events.js';
import { FOLDER_VERSION, openFolderFile, type Readable, readFolderText, whyUnread } from './folder-file.js';
import { readEvents } from './read-events.js';
import { isLive, readRecordFile, recordOf } from './read-record.js';
import { isRecordingRemoved } from './removed-recording.js';
import { type TranscriptEntry, transcriptOf } from './transcript.js';
import { blocksIn, blocksToldBy, DEFAULT_RATE, WAV_HEADER_BYTES } from './wav-file.js';

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
  const isRemoved = isRecordingRemoved(path);
  const parts = isGrowing || isRemoved ? [told, record] : [told, record, events, transcript, audio];
  return {
    path,
    record: record.content,
    events: events.content,
    transcript: transcript.content,
    ...(audio.content && { audio: audio.content }),
    isLive: live,
    missing: [
      ...(isRemoved ? ['The recording was removed, since a party has objected to it.'] : []),
      ...new Set([...parts.flatMap(({ missing }) => missing), ...failuresIn(events.content)]),
    ],
  };
}

/** The events tell what was said while the call goes on, and where there is no transcript. */
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

/** The recording of a call: stereo, 16-bit PCM, left the caller, right the bot. */
export interface FolderAudio {
  /** Absolute path. */
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** When the first sample is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/**
 * Looks at the recording of a call. Never rejects.
 * @param told what is known of it from the events; undefined when no recording has begun
 */
async function readAudio(
  path: string,
  told: { readonly startedAt: number; readonly sampleRate?: number | undefined } | undefined,
  callStartedAt: number,
): Promise<Readable<FolderAudio | undefined>> {
  let file: FileHandle | undefined;
  try {
    file = await openFolderFile(path);
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(WAV_HEADER_BYTES), 0, WAV_HEADER_BYTES, 0);
    return describe(path, size, buffer, told, callStartedAt);
  } catch (error) {
    const isNone = (error as NodeJS.ErrnoException).code === 'ENOENT' && !told;
    return { content: undefined, missing: isNone ? [] : [`audio.wav ${whyUnread(error as Error)}.`] };
  } finally {
    await file?.close().catch(() => {});
  }
}

function describe(
  path: string,
  size: number,
  header: Buffer,
  told: { readonly startedAt: number; readonly sampleRate?: number | undefined } | undefined,
  callStartedAt: number,
): Readable<FolderAudio | undefined> {
  if (size <= WAV_HEADER_BYTES) return { content: undefined, missing: ['audio.wav is cut off: it holds no sound.'] };
  const rate = rateIn(header);
  const sampleRate = rate ?? told?.sampleRate ?? DEFAULT_RATE;
  const blocks = blocksIn(size);
  const durationMs = (blocks * 1_000) / sampleRate;
  const toldBlocks = rate === undefined ? 'unknown' : blocksToldBy(header);
  const seconds = (some: number) => (some / sampleRate).toFixed(1);
  return {
    content: { path, sampleRate, startedAt: told?.startedAt ?? callStartedAt, durationMs },
    missing: [
      ...(rate === undefined
        ? [`The header of audio.wav is damaged: it is taken for stereo at ${sampleRate} Hz.`]
        : []),
      ...(toldBlocks !== 'unknown' && toldBlocks > blocks
        ? [`audio.wav is cut off: it holds ${seconds(blocks)} s of ${seconds(toldBlocks)} s.`]
        : []),
      ...(told ? [] : ['When the recording began is missing: it is taken for the beginning of the call.']),
    ],
  };
}

/** Undefined for a header that is not ours. */
function rateIn(header: Buffer): number | undefined {
  const tag = (at: number) => header.toString('latin1', at, at + 4);
  const isOurs = tag(0) === 'RIFF' && tag(8) === 'WAVE' && tag(12) === 'fmt ' && tag(36) === 'data';
  const isStereo = header.readUInt16LE(22) === 2 && header.readUInt16LE(34) === 16;
  const rate = header.readUInt32LE(24);
  return isOurs && isStereo && rate >= 8_000 && rate <= 48_000 ? rate : undefined;
}
