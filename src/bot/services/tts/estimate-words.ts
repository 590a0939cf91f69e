import { meanSquare } from '../../../base/audio/level.js';
import { isUnspaced, writtenWords } from '../../../base/written-words.js';
import type { TimedWord } from '../../pipeline/frames/index.js';

/** Sound is looked at in pieces of so many milliseconds. */
const STEP_MS = 10;
/** Quieter than this share of the loudest piece is silence. */
const QUIET_SHARE = 0.04;
/** Silence between words, in milliseconds: shorter is a consonant. */
const PAUSE_MS = 60;
/** Behind a word that ends so, voices make a pause. */
export const MARK = /[,;:.!?…–—\-、。，；：！？．｡､،؛؟।]["'”’)」』）》〉】]*$/u;
/** How far from its place by the sounds a pause may stand and still be that of a mark, as a share of the voice's time. */
const TOLERANCE = 0.2;
/** How long sounds are, in consonants: fitted to what a voice whose times are known says. */
const [VOWEL, DIGIT, BETWEEN_WORDS] = [3, 4, 1.5];
/** Words that are hardly stressed. */
const SHORT_WORD = /^(?:a|an|the|to|of|and|or|in|on|at|for|is|are|you|your|we|i|it|that|this|with|from|have|be|am)$/;
const SHORTENED = 0.8;
/** How long a character is that is a syllable or most of one, in consonants, and one of other writing without spaces. */
const [IDEOGRAPH, KANA, UNSPACED_LETTER] = [4, 3, 2];

/** A stretch of sound without a pause, in milliseconds. */
export interface VoicedStretch {
  readonly from: number;
  readonly to: number;
}

/**
 * When the words of a text are spoken, by its sound, for a voice that does not tell: marks such as commas stand at the pauses, and
 * between them each word takes time in proportion to its sounds.
 * @param pcm all of its audio
 * @returns times count from the first sample
 */
export function estimateWords(text: string, pcm: Int16Array, sampleRate: number): TimedWord[] {
  const written = writtenWords(text);
  const words = written.map((word) => word.text);
  const stretches = stretchesOf(pcm, sampleRate);
  const voicedMs = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  const lengths = words.map(lengthOf);
  const all = sumOf(lengths);
  if (all === 0 || voicedMs === 0) return [];
  // In writing without spaces a space is a mark.
  const isMarked = (word: string, index: number) =>
    MARK.test(word) || (written[index]?.space === ' ' && isUnspaced(word));
  const marks = words.flatMap((word, index) =>
    isMarked(word, index) && index < words.length - 1 ? [sumOf(lengths.slice(0, index + 1))] : [],
  );
  const anchors = [{ length: 0, voicedMs: 0 }];
  const pauses = longestPauses(stretches, marks.length);
  const areTheirs = pauses.every((pause, at) => Math.abs(pause / voicedMs - (marks[at] ?? 0) / all) <= TOLERANCE);
  for (const [index, place] of marks.entries()) {
    const pause = pauses[index];
    if (areTheirs && pauses.length === marks.length && pause !== undefined)
      anchors.push({ length: place, voicedMs: pause });
  }
  anchors.push({ length: all, voicedMs });
  const voicedAt = (count: number) => {
    const next = Math.max(
      1,
      anchors.findIndex((anchor) => anchor.length >= count),
    );
    const [a, b] = [anchors[next - 1], anchors[next]] as [(typeof anchors)[0], (typeof anchors)[0]];
    return a.voicedMs + ((count - a.length) / (b.length - a.length)) * (b.voicedMs - a.voicedMs);
  };
  let before = 0;
  return words.map((word, index) => {
    const startMs = timeAt(stretches, voicedAt(before), false);
    before += lengths[index] ?? 0;
    return { text: word, startMs, endMs: timeAt(stretches, voicedAt(before), true) };
  });
}

/** How long a word takes, in consonants. English spelling is meant, and does no harm elsewhere. */
export function lengthOf(word: string): number {
  return isUnspaced(word) ? unspacedLength(word) : spelledLength(word);
}

function unspacedLength(word: string): number {
  const length = (character: string) => {
    if (/\p{N}/u.test(character)) return DIGIT;
    if (/\p{sc=Han}/u.test(character)) return IDEOGRAPH;
    if (/[\p{sc=Hiragana}\p{sc=Katakana}ー]/u.test(character)) return KANA;
    return /\p{L}/u.test(character) ? UNSPACED_LETTER : 0;
  };
  return sumOf([...word].map(length));
}

function spelledLength(word: string): number {
  const plain = word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  const sounds = plain
    .replace(/(?<=[aeiouy].*[^aeiouy\W])e(?=\W*$)/, '')
    .replace(/[aeiouy]{2,}/g, (vowels) => (/^(?:ia|io|eo|ua|uo|iu)/.test(vowels) ? 'aa' : 'a'))
    .replace(/([^aeiouy\W\d])\1/g, '$1')
    .replace(/th|sh|ch|ph|ck|ng|wh|gh/g, 't');
  const count = (kind: RegExp) => sounds.match(kind)?.length ?? 0;
  const vowels = count(/[aeiouy]/g);
  const consonants = count(/\p{L}/gu) - vowels;
  const length = BETWEEN_WORDS + VOWEL * vowels + consonants + DIGIT * count(/\p{N}/gu);
  return SHORT_WORD.test(plain) ? length * SHORTENED : length;
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** Where the longest pauses stand, in milliseconds of the voice's time: as many as there are marks, where there are as many. */
function longestPauses(stretches: readonly VoicedStretch[], count: number): number[] {
  let voiced = 0;
  const pauses = stretches.slice(0, -1).map(({ from, to }, index) => {
    voiced += to - from;
    return { at: voiced, ms: (stretches[index + 1] as VoicedStretch).from - to };
  });
  const longest = pauses.toSorted((a, b) => b.ms - a.ms).slice(0, count);
  return longest.map(({ at }) => at).sort((a, b) => a - b);
}

/** @param isEnd of two times that a pause lies between, the one before it */
function timeAt(stretches: readonly VoicedStretch[], voicedMs: number, isEnd: boolean): number {
  let left = voicedMs;
  for (const { from, to } of stretches) {
    const length = to - from;
    if (isEnd ? left <= length + 1e-6 : left < length - 1e-6) return from + left;
    left -= length;
  }
  return stretches.at(-1)?.to ?? 0;
}

/** The stretches of a sound that are no silence, in their order. */
export function stretchesOf(pcm: Int16Array, sampleRate: number): VoicedStretch[] {
  const step = Math.max(1, Math.round((STEP_MS * sampleRate) / 1_000));
  const loudness = Array.from({ length: Math.ceil(pcm.length / step) }, (_, at) =>
    Math.sqrt(meanSquare(pcm.subarray(at * step, (at + 1) * step))),
  );
  const quiet = Math.max(...loudness, 0) * QUIET_SHARE;
  const stretches: VoicedStretch[] = [];
  for (const [at, level] of loudness.entries()) {
    if (level <= quiet) continue;
    const last = stretches.at(-1);
    const from = at * STEP_MS;
    if (last && from - last.to < PAUSE_MS) stretches[stretches.length - 1] = { from: last.from, to: from + STEP_MS };
    else stretches.push({ from, to: from + STEP_MS });
  }
  return stretches;
}
