import { dist } from '../processes/dist.js';

const { decodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

export const SAMPLE_RATE = 8_000;
/** How long the bot's voice takes for each of its words, in milliseconds. */
export const WORD_MS = 300;
const BLOCK_SAMPLES = 160;
/** Of the mean square of a block that can be heard. */
const AUDIBLE_POWER = 100_000;

/** Answers and words are told apart by these first and second halves of the bot's words: one of each, and a tone for each. */
const FIRST_HALVES = ['ba', 'de', 'fi', 'go', 'lu', 'ma', 'ne', 'pi', 'ro', 'su', 'ta', 'we'];
const SECOND_HALVES =
  'bel cam din fon gus han jek kol lim mor nat pel ras sim tor vul wan yet zed brin clo dras fren gril'
    .split(' ')
    .map((half) => half.slice(0, 4));
/** Multiples of 50 Hz: one of them is invisible to the others within 20 ms. */
const answerHz = (answer: number) => 400 + 100 * answer;
const wordHz = (word: number) => 1_750 + 50 * word;

export const MOST_ANSWERS = FIRST_HALVES.length;
export const MOST_WORDS = SECOND_HALVES.length;

/** A word of the bot: which of its answers it belongs to, and its place in it. */
export interface MarkedWord {
  readonly answer: number;
  readonly word: number;
}

/** So many words, in sentences of which the first is short, as models write them. @param answer any number; those 12 apart are alike */
export function markedText(answer: number, words: number): string {
  const first = FIRST_HALVES[answer % MOST_ANSWERS] as string;
  const text: string[] = [];
  let inSentence = 0;
  let limit = 5;
  for (let word = 0; word < words; word += 1) {
    const plain = `${first}${SECOND_HALVES[word % MOST_WORDS]}`;
    const isFirst = inSentence === 0;
    inSentence += 1;
    const isLast = word === words - 1 || (inSentence >= limit && words - word > 3);
    text.push(`${isFirst ? plain[0]?.toUpperCase() + plain.slice(1) : plain}${isLast ? '.' : ''}`);
    if (isLast) {
      inSentence = 0;
      limit = 7;
    }
  }
  return text.join(' ');
}

/** The bot's words in a text; others are left out. */
export function markedWords(text: string): MarkedWord[] {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).flatMap((plain) => {
    const answer = FIRST_HALVES.indexOf(plain.slice(0, 2));
    const word = SECOND_HALVES.indexOf(plain.slice(2));
    return answer >= 0 && word >= 0 ? [{ answer, word }] : [];
  });
}

const sounds = new Map<string, Int16Array>();

/** What the voice says: two tones for each of the bot's words, softer at its edges; never silent. 8000 Hz. */
export function markedSpeech(text: string): Int16Array {
  const words = markedWords(text);
  const pcm = new Int16Array((words.length * WORD_MS * SAMPLE_RATE) / 1_000);
  let at = 0;
  for (const word of words) {
    const sound = soundOf(word);
    pcm.set(sound, at);
    at += sound.length;
  }
  return pcm;
}

function soundOf({ answer, word }: MarkedWord): Int16Array {
  const key = `${answer}/${word}`;
  const known = sounds.get(key);
  if (known) return known;
  const samples = (WORD_MS * SAMPLE_RATE) / 1_000;
  const sound = Int16Array.from({ length: samples }, (_, n) => {
    const loudness = 3_000 - 1_500 * Math.cos((2 * Math.PI * n) / samples);
    const radians = (2 * Math.PI * n) / SAMPLE_RATE;
    return loudness * (Math.sin(radians * answerHz(answer)) + Math.sin(radians * wordHz(word)));
  });
  sounds.set(key, sound);
  return sound;
}

/** Of each tone, its cosine and its sine for one block. */
const answerWaves = FIRST_HALVES.map((_, answer) => waveOf(answerHz(answer)));
const wordWaves = SECOND_HALVES.map((_, word) => waveOf(wordHz(word)));
type Wave = readonly [cosine: Float64Array, sine: Float64Array];

function waveOf(hz: number): Wave {
  const wave = (of: (radians: number) => number) =>
    Float64Array.from({ length: BLOCK_SAMPLES }, (_, n) => of((2 * Math.PI * hz * n) / SAMPLE_RATE));
  return [wave(Math.cos), wave(Math.sin)];
}

/** @param payload 20 ms of mu-law @returns undefined where nothing can be heard */
export function heardWord(payload: Uint8Array): MarkedWord | undefined {
  const pcm = decodeMulaw(payload);
  if (dot(pcm, pcm) / BLOCK_SAMPLES < AUDIBLE_POWER) return undefined;
  return { answer: loudest(pcm, answerWaves), word: loudest(pcm, wordWaves) };
}

function loudest(pcm: Int16Array, waves: readonly Wave[]): number {
  let [best, bestPower] = [0, 0];
  waves.forEach(([cosine, sine], index) => {
    const power = dot(pcm, cosine) ** 2 + dot(pcm, sine) ** 2;
    if (power > bestPower) [best, bestPower] = [index, power];
  });
  return best;
}

function dot(pcm: Int16Array, other: Int16Array | Float64Array): number {
  let sum = 0;
  for (let n = 0; n < BLOCK_SAMPLES; n += 1) sum += (pcm[n] as number) * (other[n] as number);
  return sum;
}
