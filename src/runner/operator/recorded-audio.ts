import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { openFolderFile } from '../../call/folder/folder-file.js';
import { blocksIn, DEFAULT_RATE, headerOf, WAV_BLOCK_BYTES, WAV_HEADER_BYTES } from '../../call/folder/wav-file.js';

/** A recording of a call, as far as it is written: both sides, 16-bit PCM. */
export interface RecordingFile {
  readonly file: FileHandle;
  /** Hertz. */
  readonly sampleRate: number;
  /** Moments of both sides. */
  readonly blocks: number;
}

/**
 * Opens a recording, also one that is being written, or was cut off.
 * @returns undefined when there is none; the code that gets one closes its file
 */
export async function openRecording(path: string): Promise<RecordingFile | undefined> {
  const file = await openFolderFile(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(WAV_HEADER_BYTES), 0, WAV_HEADER_BYTES, 0);
    const { size } = await file.stat();
    const told = bytesRead === WAV_HEADER_BYTES ? buffer.readUInt32LE(24) : 0;
    const blocks = blocksIn(size);
    return { file, sampleRate: told >= 8_000 && told <= 48_000 ? told : DEFAULT_RATE, blocks };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Answers with a recording, or the range of it that is asked for. The header tells of what is written so far. */
export async function sendRecording(request: Request, response: Response, recording: RecordingFile): Promise<void> {
  const { file, sampleRate, blocks } = recording;
  try {
    const header = headerOf(blocks, sampleRate);
    const size = WAV_HEADER_BYTES + blocks * WAV_BLOCK_BYTES;
    response.set({
      'content-type': 'audio/wav',
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const ranges = request.range(size, { combine: true });
    if (ranges === -1) {
      response.status(416).set('content-range', `bytes */${size}`).end();
      return;
    }
    // What is no range, and several of them, are answered with the whole.
    const range = Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined;
    const { start, end } = range ?? { start: 0, end: size - 1 };
    if (range) response.status(206).set('content-range', `bytes ${start}-${end}/${size}`);
    response.set('content-length', String(end - start + 1));
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    await pipeline(parts(file, header, start, end), response);
  } catch (error) {
    // The player has what it wanted, or has gone elsewhere in the recording.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await file.close();
  }
}

const PART_BYTES = 128 * 1_024;

/** @param end the last byte */
async function* parts(file: FileHandle, header: Uint8Array, start: number, end: number): AsyncGenerator<Uint8Array> {
  let at = start;
  if (at < header.length) yield header.subarray(at, end + 1);
  at = Math.max(at, header.length);
  while (at <= end) {
    const length = Math.min(PART_BYTES, end + 1 - at);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
