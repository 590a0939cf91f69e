import { FRAME_MS } from '../../base/audio/frame.js';
import { levelDb } from '../../base/audio/level.js';
import { SILENT_AFTER_MS, SPEAKING_AFTER_MS, SPEAKING_DB } from './line-ear.js';

const FRAME_SAMPLES = 160;

/** A stretch of sound, in milliseconds from the beginning of the audio. */
export interface HeardSound {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Where one side is heard. @param pcm 8000 Hz */
export function soundsIn(pcm: Int16Array, gapMs = SILENT_AFTER_MS): HeardSound[] {
  const sounds: Array<{ fromMs: number; toMs: number; loudMs: number }> = [];
  for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
    if (levelDb(pcm.subarray(at, at + FRAME_SAMPLES)) <= SPEAKING_DB) continue;
    const fromMs = at / 8;
    const toMs = fromMs + FRAME_MS;
    const last = sounds.at(-1);
    if (!last || fromMs - last.toMs >= gapMs) sounds.push({ fromMs, toMs, loudMs: FRAME_MS });
    else Object.assign(last, { toMs, loudMs: last.loudMs + FRAME_MS });
  }
  return sounds.filter(({ loudMs }) => loudMs >= SPEAKING_AFTER_MS).map(({ fromMs, toMs }) => ({ fromMs, toMs }));
}

/** The longest stretch in which nothing is heard, up to the end. */
export function longestSilence(
  sounds: readonly HeardSound[],
  lengthMs: number,
): { readonly ms: number; readonly atMs: number } {
  let longest = { ms: 0, atMs: 0 };
  let silentFromMs = 0;
  for (const { fromMs, toMs } of [...sounds]
    .sort((a, b) => a.fromMs - b.fromMs)
    .concat({ fromMs: lengthMs, toMs: lengthMs })) {
    if (fromMs - silentFromMs > longest.ms) longest = { ms: fromMs - silentFromMs, atMs: silentFromMs };
    silentFromMs = Math.max(silentFromMs, toMs);
  }
  return longest;
}
