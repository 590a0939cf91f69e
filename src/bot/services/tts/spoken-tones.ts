import type { FliteOrder } from './flite-worker.js';

/** Of a character, in milliseconds: a tenth of what a voice takes for it. */
export const TONE_CHARACTER_MS = 6.5;
/** Shorter sounds are taken for clicks. */
const SHORTEST_MS = 160;
/** Hertz; within the band of a telephone, and no key of one. */
const PITCH = 300;
/** As loud as a voice. */
const AMPLITUDE = 4_000;

let isText = false;

/** Has this process say tones in place of words: for tests of the wording alone, which no person hears. */
export function sayTones(only: boolean): void {
  isText = only;
}

/** Whether this process says tones in place of words. */
export const saysTones = (): boolean => isText;

/** A tone in place of a text, a tenth as long; undefined where words are said. */
export const toneInPlaceOf = ({
  text,
  sampleRate,
}: Pick<FliteOrder, 'text' | 'sampleRate'>): Int16Array<ArrayBuffer> | undefined =>
  isText ? toneFor(text, sampleRate) : undefined;

/** @returns mono samples */
export function toneFor(text: string, sampleRate: number): Int16Array<ArrayBuffer> {
  const ms = Math.max(SHORTEST_MS, text.length * TONE_CHARACTER_MS);
  const step = (2 * Math.PI * PITCH) / sampleRate;
  return Int16Array.from({ length: Math.round((ms * sampleRate) / 1_000) }, (_, at) => AMPLITUDE * Math.sin(at * step));
}
