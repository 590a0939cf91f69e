import { Goertzel } from '../../../../src/base/audio/goertzel.js';
import { meanSquare } from '../../../../src/base/audio/level.js';

/** How long a character is spoken, in milliseconds: as the kit's voices have it. */
const CHARACTER_MS = 60;
const FRAME_MS = 10;
const [LOWEST, STEP] = [400, 100];
const AMPLITUDE = 8_000;

const wordsOf = (texts: readonly string[]) => [...new Set(texts.join(' ').match(/\S+/g) ?? [])];
const lengthMs = (word: string) => word.length * CHARACTER_MS;

/** The words of a text, each heard once and whole. */
export const wordsOnce = (text: string): string[] => text.match(/\S+/g) ?? [];

/** A voice that says each word as a tone of its own, so that a recording tells which words were heard. @param texts all that it may say */
export function toneWords(texts: readonly string[], characterMs = CHARACTER_MS) {
  const all = wordsOf(texts);
  return (text: string, sampleRate: number): Int16Array => {
    const perCharacter = (characterMs * sampleRate) / 1_000;
    const pcm = new Int16Array(Math.round(text.trim().length * perCharacter));
    for (const { 0: word, index } of text.trim().matchAll(/\S+/g)) {
      const step = (2 * Math.PI * (LOWEST + STEP * all.indexOf(word))) / sampleRate;
      const from = Math.round(index * perCharacter);
      const length = Math.round(word.length * perCharacter);
      for (let at = 0; at < length; at += 1) pcm[from + at] = AMPLITUDE * Math.sin(step * at);
    }
    return pcm;
  };
}

/**
 * The words of a recording, as they are heard. A word that was cut and begun again is one; `word…` was never said to its end.
 * @param pcm at 8000 Hz, or another rate
 */
export function heardWords(pcm: Int16Array, sampleRate: number, texts: readonly string[]): string[] {
  const runs: Array<{ word: string; ms: number }> = [];
  for (const { word } of heardFrames(pcm, sampleRate, texts)) {
    const last = runs.at(-1);
    if (word === undefined) runs.push({ word: '', ms: FRAME_MS });
    else if (last?.word === word) last.ms += FRAME_MS;
    else runs.push({ word, ms: FRAME_MS });
  }
  const heard: Array<{ word: string; ms: number }> = [];
  for (const run of runs) {
    if (run.word === '' || run.ms < 2 * FRAME_MS) continue; // less is where two tones meet
    const last = heard.at(-1);
    if (last && last.word === run.word && !isWhole(last)) last.ms = Math.max(last.ms, run.ms, last.ms + run.ms - 150);
    else heard.push({ ...run });
  }
  return heard.map((run) => (isWhole(run) ? run.word : `${run.word}…`));
}

const isWhole = ({ word, ms }: { word: string; ms: number }) => ms >= lengthMs(word) - 2 * FRAME_MS;

/** Which word each 10 ms of a recording are of; undefined: none. */
export function heardFrames(pcm: Int16Array, sampleRate: number, texts: readonly string[]) {
  const all = wordsOf(texts);
  const size = Math.round((FRAME_MS * sampleRate) / 1_000);
  return Array.from({ length: Math.floor(pcm.length / size) }, (_, index) => {
    const block = pcm.subarray(index * size, (index + 1) * size);
    if (Math.sqrt(meanSquare(block)) < AMPLITUDE / 8) return { word: undefined };
    const samples = Float64Array.from(block);
    const powers = all.map((_word, at) => {
      const bin = new Goertzel(LOWEST + STEP * at, sampleRate);
      bin.measure(samples);
      return bin.power;
    });
    return { word: all[powers.indexOf(Math.max(...powers))] };
  });
}
