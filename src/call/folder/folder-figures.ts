import { setImmediate } from 'node:timers/promises';
import { FRAME_MS } from '../../base/audio/frame.js';
import { levelDb } from '../../base/audio/level.js';
import type { RecordedLevels } from '../view/call-talk.js';
import { type TalkFigures, talkFigures } from '../view/talk-figures.js';
import { openFolderFile } from './folder-file.js';
import type { CallFolder, FolderAudio } from './read-call-folder.js';
import { WAV_BLOCK_BYTES, WAV_HEADER_BYTES } from './wav-file.js';

/** Read at once. */
const FRAMES_AT_ONCE = 250;

/**
 * How well the two sides got on, by the recording; by the events where there is none that can be read, and while the call goes on. Never rejects for
 * what it finds.
 */
export async function folderFigures({ audio, events, isLive }: CallFolder): Promise<TalkFigures> {
  const levels = audio && !isLive ? await levelsIn(audio).catch(() => undefined) : undefined;
  return talkFigures(events, levels);
}

/** How loud both sides of a recording are. */
async function levelsIn({ path, sampleRate, startedAt, durationMs }: FolderAudio): Promise<RecordedLevels> {
  const samples = Math.round((sampleRate * FRAME_MS) / 1_000);
  const frames = Math.floor(durationMs / FRAME_MS);
  const [caller, bot] = [new Float32Array(frames), new Float32Array(frames)];
  const [left, right] = [new Int16Array(samples), new Int16Array(samples)];
  const buffer = Buffer.allocUnsafe(FRAMES_AT_ONCE * samples * WAV_BLOCK_BYTES);
  const file = await openFolderFile(path);
  try {
    for (let frame = 0; frame < frames; frame += FRAMES_AT_ONCE) {
      const some = Math.min(FRAMES_AT_ONCE, frames - frame);
      const place = WAV_HEADER_BYTES + frame * samples * WAV_BLOCK_BYTES;
      await file.read(buffer.fill(0), 0, some * samples * WAV_BLOCK_BYTES, place);
      for (let each = 0; each < some; each += 1) {
        for (let at = 0, byte = each * samples * WAV_BLOCK_BYTES; at < samples; at += 1, byte += WAV_BLOCK_BYTES) {
          left[at] = buffer.readInt16LE(byte);
          right[at] = buffer.readInt16LE(byte + 2);
        }
        caller[frame + each] = levelDb(left);
        bot[frame + each] = levelDb(right);
      }
      await setImmediate(); // a long recording leaves the calls of the process their time
    }
  } finally {
    await file.close();
  }
  return { startedAt, caller, bot };
}
