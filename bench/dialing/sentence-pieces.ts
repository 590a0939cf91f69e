import { decodeMulaw, MULAW_SILENCE } from '../../src/base/audio/mulaw.js';

/** Samples that are no louder are silence. */
const QUIETEST = 200;

export const isSilent = (frame: Uint8Array): boolean =>
  decodeMulaw(frame).every((sample) => Math.abs(sample) <= QUIETEST);

/**
 * Whether a frame that was heard is a piece of a sentence, wherever it begins in that and whatever silence is around it. Both mu-law at 8000 Hz.
 * Speech has no two pieces of this length that are alike to the byte.
 */
export function isPieceOf(sentence: Buffer, frame: Uint8Array): boolean {
  let [from, to] = [0, frame.length];
  while (from < to && frame[from] === MULAW_SILENCE) from += 1;
  while (to > from && frame[to - 1] === MULAW_SILENCE) to -= 1;
  return sentence.includes(Buffer.from(frame.subarray(from, to)));
}
