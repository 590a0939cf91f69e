import type { FileHandle } from 'node:fs/promises';
import { openFolderFile } from './folder-file.js';
import type { Readable } from './read-events.js';
import { whyUnread } from './read-events.js';
import { blocksIn, blocksToldBy, DEFAULT_RATE, WAV_HEADER_BYTES } from './wav-header.js';

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
export async function readAudio(
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
