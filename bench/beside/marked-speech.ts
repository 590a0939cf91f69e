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

/** @param payload 20 ms of mu-law @returns undefined where nothing can be heard */
export function heardWord(payload: Uint8Array): MarkedWord | undefined {
  const pcm = decodeMulaw(payload);
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / BLOCK_SAMPLES;
  if (power < AUDIBLE_POWER) return undefined;
  const loudest = (count: number, hz: (index: number) => number) => {
    const powers = Array.from({ length: count }, (_, index) => powerAt(pcm, hz(index)));
    return powers.indexOf(Math.max(...powers));
  };
  return { answer: loudest(MOST_ANSWERS, answerHz), word: loudest(MOST_WORDS, wordHz) };
}

function powerAt(pcm: Int16Array, hz: number): number {
  let [cosine, sine] = [0, 0];
  pcm.forEach((sample, n) => {
    const radians = (2 * Math.PI * hz * n) / SAMPLE_RATE;
    cosine += sample * Math.cos(radians);
    sine += sample * Math.sin(radians);
  });
  return cosine * cosine + sine * sine;
}
