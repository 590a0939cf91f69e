import { readFileSync } from 'node:fs';

/** Bytes of mu-law at the beginning of a frame that say which frame it is. */
export const STAMP_BYTES = 6;
const FRAME_BYTES = 160;
/** Up to the first sample of the mu-law recording. */
const WAV_HEADER_BYTES = 58;

/** Speech in 20 ms pieces, mu-law: what a caller says over and over. */
export const SPEECH: readonly Buffer[] = [...speechFrames()];

/** The number of a frame as mu-law bytes that survive decoding and encoding. */
export const stampOf = (frame: number): Buffer =>
  Buffer.from(Array.from({ length: STAMP_BYTES }, (_, digit) => 0x80 | ((frame >> (5 * digit)) & 0x1f)));

/** The number in a frame's first bytes; undefined when there is none. */
export function readStamp(bytes: Uint8Array): number | undefined {
  let frame = 0;
  for (let digit = STAMP_BYTES - 1; digit >= 0; digit -= 1) {
    const byte = bytes[digit] as number;
    if ((byte & 0xe0) !== 0x80) return undefined;
    frame = (frame << 5) | (byte & 0x1f);
  }
  return frame;
}

function* speechFrames(): Generator<Buffer> {
  const wav = readFileSync(new URL('test/fixtures/audio/speech.wav', import.meta.resolve('voicebot/package.json')));
  for (let at = WAV_HEADER_BYTES; at + FRAME_BYTES <= wav.length; at += FRAME_BYTES) {
    yield wav.subarray(at, at + FRAME_BYTES);
  }
}
