import { writeFileSync } from 'node:fs';
import { decodeMulaw } from '../audio/mulaw.js';
import { encodeWav } from '../audio/wav.js';

/**
 * Writes a call as a stereo WAV file, 16 bits, 8000 Hz: left the caller, right the bot. The two are aligned, because
 * each frame was said and heard in the same 20 ms.
 * @param path absolute; its folder exists
 */
export function writeRecording(path: string, frames: ReadonlyArray<{ said: Uint8Array; heard: Uint8Array }>): void {
  const said = decodeMulaw(Buffer.concat(frames.map((frame) => frame.said)));
  const heard = decodeMulaw(Buffer.concat(frames.map((frame) => frame.heard)));
  writeFileSync(path, encodeWav({ sampleRate: 8_000, channels: [said, heard], encoding: 'L16' }));
}
