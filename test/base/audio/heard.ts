import type { VoiceDetector } from '../../../src/base/audio/voice-detector.js';
import { cut } from './signals.js';

/** A stretch of time in milliseconds since the beginning; an end that did not come is infinite. */
export type Stretch = readonly [startMs: number, endMs: number];

/** When a detector that answers at once says that there is speech, to the piece. @param pieceMs how much it is given at once */
export function speechIn(pcm: Int16Array, detector: VoiceDetector, sampleRate = 8_000, pieceMs = 20): Stretch[] {
  const stretches: Array<[number, number]> = [];
  let isSpeech = false;
  cut(pcm, [(sampleRate * pieceMs) / 1_000]).forEach((piece, i) => {
    const now = detector.isSpeech(piece) === true;
    const atMs = (i + 1) * pieceMs;
    if (now && !isSpeech) stretches.push([atMs, Number.POSITIVE_INFINITY]);
    const latest = stretches.at(-1);
    if (!now && isSpeech && latest) latest[1] = atMs;
    isSpeech = now;
  });
  return stretches;
}
