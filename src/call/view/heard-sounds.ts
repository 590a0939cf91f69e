import { FRAME_MS } from '../../base/audio/frame.js';
import { levelDb } from '../../base/audio/level.js';

/** Speech and tones on a telephone line lie well above this, its noise well below. Decibels below full scale. */
export const SPEAKING_DB = -45;
/** Shorter sounds are clicks. */
export const SPEAKING_AFTER_MS = 60;
/** Shorter gaps belong to the sentence. */
export const SILENT_AFTER_MS = 500;

/** The level of a line's noise is below that of nine tenths of its frames. */
const NOISE_SHARE = 0.1;
/** Speech is so far above the noise, in decibels. */
const ABOVE_NOISE_DB = 12;
/** Whatever the noise, this is speech. */
const LOUD_DB = -30;

/** A stretch of sound, in milliseconds from the beginning of the audio, or since the Unix epoch: as all of its side are. */
export interface HeardSound {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How loud one side is in each 20 ms, in decibels below full scale; `-Infinity` for silence. @param sampleRate hertz */
export function levelsOf(pcm: Int16Array, sampleRate: number): Float32Array {
  const samples = Math.round((sampleRate * FRAME_MS) / 1_000);
  return Float32Array.from({ length: Math.floor(pcm.length / samples) }, (_, frame) =>
    levelDb(pcm.subarray(frame * samples, (frame + 1) * samples)),
  );
}

/**
 * Where one side is heard.
 * @param levels of {@link levelsOf}
 * @param gapMs a pause that is shorter belongs to the sound
 * @param aboveDb what is not louder is silence
 */
export function soundsIn(levels: Float32Array, gapMs = SILENT_AFTER_MS, aboveDb = SPEAKING_DB): HeardSound[] {
  const sounds: Array<{ fromMs: number; toMs: number; loudMs: number }> = [];
  for (const [frame, level] of levels.entries()) {
    if (level <= aboveDb) continue;
    const fromMs = frame * FRAME_MS;
    const toMs = fromMs + FRAME_MS;
    const last = sounds.at(-1);
    if (!last || fromMs - last.toMs >= gapMs) sounds.push({ fromMs, toMs, loudMs: FRAME_MS });
    else Object.assign(last, { toMs, loudMs: last.loudMs + FRAME_MS });
  }
  return sounds.filter(({ loudMs }) => loudMs >= SPEAKING_AFTER_MS).map(({ fromMs, toMs }) => ({ fromMs, toMs }));
}

/** What is speech on a line with steady noise: well above that, and never below {@link SPEAKING_DB}. */
export function speakingDbOf(levels: Float32Array): number {
  const noise = levels.toSorted()[Math.floor(levels.length * NOISE_SHARE)] ?? Number.NEGATIVE_INFINITY;
  return Math.min(LOUD_DB, Math.max(SPEAKING_DB, noise + ABOVE_NOISE_DB));
}

/** Sounds with less than so much between them are one. @param sounds in the order of their beginnings */
export function joinedSounds(sounds: readonly HeardSound[], gapMs: number): HeardSound[] {
  const joined: HeardSound[] = [];
  for (const sound of sounds) {
    const last = joined.at(-1);
    if (!last || sound.fromMs - last.toMs >= gapMs) joined.push(sound);
    else joined[joined.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, sound.toMs) };
  }
  return joined;
}

/** The sounds without what lies in these stretches; what is left that is shorter than a frame is none. */
export const soundsWithout = (sounds: readonly HeardSound[], stretches: readonly HeardSound[]): HeardSound[] =>
  stretches.reduce<HeardSound[]>(
    (left, { fromMs, toMs }) =>
      left
        .flatMap((sound) => [
          { fromMs: sound.fromMs, toMs: Math.min(sound.toMs, fromMs) },
          { fromMs: Math.max(sound.fromMs, toMs), toMs: sound.toMs },
        ])
        .filter((sound) => sound.toMs - sound.fromMs >= FRAME_MS),
    [...sounds],
  );
