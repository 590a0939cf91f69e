import { readFileSync } from 'node:fs';

const FRAME_BYTES = 160;
/** Up to the first sample of the mu-law recording. */
const WAV_HEADER_BYTES = 58;

/** Speech in 20 ms pieces, mu-law: what a caller says over and over. */
export const SPEECH: readonly Buffer[] = [...speechFrames()];

function* speechFrames(): Generator<Buffer> {
  const wav = readFileSync(new URL('test/fixtures/audio/speech.wav', import.meta.resolve('voicebot/package.json')));
  for (let at = WAV_HEADER_BYTES; at + FRAME_BYTES <= wav.length; at += FRAME_BYTES) {
    yield wav.subarray(at, at + FRAME_BYTES);
  }
}
