import { writtenWords } from '../../../base/written-words.js';
import { lengthOf, MARK, stretchesOf } from './estimate-words.js';

/**
 * How long slow voices take for a consonant (see `estimate-words.ts`), in milliseconds, for one of which it is not known: most take 35, and
 * of those a word or two are said twice.
 */
const SLOW_PACE_MS = 50;
/** A pause so long is that of a mark, in milliseconds, */
const MARK_PAUSE_MS = 100;
/** that stands within this share of where the pause is. */
const TOLERANCE = 0.3;
/** What was said is taken for so much less than it seems to be: a word that is said twice costs less than one that is not said. */
const CAUTION = 0.06;

/**
 * At which character the word begins in which a voice has broken off that does not tell when its words are spoken.
 * @param pcm what it has said of the text
 * @param paceMs how long it takes for a consonant, in milliseconds, where that is known
 */
export function estimateCut(text: string, pcm: Int16Array, sampleRate: number, paceMs = SLOW_PACE_MS): number {
  const words = writtenWords(text);
  let length = 0;
  const ends = words.map((word) => {
    length += lengthOf(word.text);
    return length;
  });
  const marks = words.flatMap(({ text: word }, index) => (MARK.test(word) ? [ends[index] as number] : []));
  let voicedMs = 0;
  let anchor = { length: 0, voicedMs: 0 };
  const stretches = stretchesOf(pcm, sampleRate);
  for (const [index, { from, to }] of stretches.entries()) {
    voicedMs += to - from;
    const next = stretches[index + 1]?.from ?? (pcm.length * 1_000) / sampleRate;
    if (next - to < MARK_PAUSE_MS) continue;
    const seen = anchor.length + (voicedMs - anchor.voicedMs) / paceMs;
    const near = marks
      .filter((mark) => mark > anchor.length && Math.abs(mark - seen) <= TOLERANCE * (mark - anchor.length))
      .sort((a, b) => Math.abs(a - seen) - Math.abs(b - seen))[0];
    if (near !== undefined) anchor = { length: near, voicedMs };
  }
  const said = anchor.length + ((1 - CAUTION) * (voicedMs - anchor.voicedMs)) / paceMs;
  const cut = ends.findIndex((end) => end > said + 1e-6);
  return words.at(cut)?.from ?? 0;
}

/** How long a voice takes for a consonant, in milliseconds, by what it has said of a whole text; undefined where that is nothing. */
export function paceOf(text: string, pcm: Int16Array, sampleRate: number): number | undefined {
  const length = writtenWords(text).reduce((sum, word) => sum + lengthOf(word.text), 0);
  const voicedMs = stretchesOf(pcm, sampleRate).reduce((sum, { from, to }) => sum + to - from, 0);
  return length > 0 && voicedMs > 0 ? voicedMs / length : undefined;
}
