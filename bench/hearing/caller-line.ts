import { decodeMulaw, encodeMulaw } from '../../src/base/audio/mulaw.js';
import { randomNumbers } from './random.js';
import { BLOCK, SAMPLE_RATE, type Spoken, speak } from './spoken.js';

/** What a caller says, with pauses, and where. */
export interface CallerLine {
  readonly pcm: Int16Array;
  /** Of every 10 ms. */
  readonly truth: readonly boolean[];
  /** First and last block of every sentence; the last is not part of it. */
  readonly utterances: ReadonlyArray<readonly [first: number, last: number]>;
  /** RMS of the speech, in sample units. */
  readonly rms: number;
}

/** Sentences and voices of which one half is for choosing settings, and the other for the figures. */
const SENTENCES = [
  'Hello?',
  'I would like to book a table for four people on Friday evening.',
  'No, thank you.',
  'Could you tell me whether my parcel has been sent, and when it will arrive?',
  'The number is seven, three, zero, nine, two.',
  'Actually, I think that I paid this bill at the beginning of the month.',
  'Yes.',
  'My name is Jonathan Harper, and I live in Portland.',
  'That sounds fine to me.',
  'Please wait a moment, I have to find my glasses.',
  'Hi, good morning.',
  'It stopped working yesterday, right after the storm.',
  'Okay.',
  'What does it cost if I cancel before the end of the year?',
  'Speak to an agent, please.',
  'She told me to call back on Monday, because nobody was in the office.',
  'Sure, why not.',
  'Six, one, four, double eight, and then a five.',
  'I am not sure which of the two contracts it is.',
  'Can you repeat that more slowly?',
];
const VOICES = ['en-us', 'en-us+f2', 'en-gb+f4', 'en-gb+m3', 'en-gb-scotland', 'en-us+f5', 'en-gb-x-rp+m7', 'en-us+m1'];
const HALF = 10;
const SHORTEST_PAUSE_BLOCKS = 30;
const LONGEST_PAUSE_BLOCKS = 200;
/** Only noise, before the first and after the last sentence. */
const LEAD_BLOCKS = 1_000;
/** RMS of speech on the telephone, relative to full scale. */
const LOUDEST_DB = -16;
const QUIETEST_DB = -32;

export async function callerLines(half: 'first' | 'second'): Promise<CallerLine[]> {
  const offset = half === 'first' ? 0 : 1;
  const sentences = SENTENCES.slice(HALF * offset, HALF * (offset + 1));
  const voices = VOICES.filter((_, i) => i % 2 === offset);
  const random = randomNumbers(offset + 7);
  const lines: CallerLine[] = [];
  for (const [i, voice] of voices.entries()) {
    const spoken: Spoken[] = [];
    for (const sentence of sentences) spoken.push(await speak(sentence, voice, 145 + 50 * random()));
    const levelDb = LOUDEST_DB + ((QUIETEST_DB - LOUDEST_DB) * i) / (voices.length - 1);
    lines.push(line(spoken, 32_768 * 10 ** (levelDb / 20), random));
  }
  return lines;
}

function line(spoken: readonly Spoken[], rms: number, random: () => number): CallerLine {
  const truth: boolean[] = new Array(LEAD_BLOCKS).fill(false);
  const utterances: Array<readonly [number, number]> = [];
  const pieces: Int16Array[] = [new Int16Array(LEAD_BLOCKS * BLOCK)];
  spoken.forEach((said, i) => {
    const first = truth.length;
    truth.push(...said.truth);
    utterances.push([first, truth.length]);
    const isLast = i === spoken.length - 1;
    const pause = isLast
      ? LEAD_BLOCKS
      : Math.round(SHORTEST_PAUSE_BLOCKS + (LONGEST_PAUSE_BLOCKS - SHORTEST_PAUSE_BLOCKS) * random());
    truth.push(...new Array(pause).fill(false));
    pieces.push(
      said.pcm.map((sample) => (sample * rms) / said.rms),
      new Int16Array(pause * BLOCK),
    );
  });
  const pcm = new Int16Array(truth.length * BLOCK);
  let at = 0;
  for (const piece of pieces) {
    pcm.set(piece, at);
    at += piece.length;
  }
  return { pcm, truth, utterances, rms };
}

/** The line with noise under the speech, as it comes from the network: in mu-law. @param snrDb of the speech over the noise */
export function withNoise({ pcm, rms }: CallerLine, noise: Float64Array | undefined, snrDb: number): Int16Array {
  if (!noise) return decodeMulaw(encodeMulaw(pcm));
  const noiseRms = Math.sqrt(noise.reduce((sum, sample) => sum + sample * sample, 0) / noise.length);
  const scale = rms / 10 ** (snrDb / 20) / noiseRms;
  const mixed = pcm.map((sample, n) =>
    Math.max(-32_768, Math.min(32_767, Math.round(sample + scale * (noise[n % noise.length] as number)))),
  );
  return decodeMulaw(encodeMulaw(mixed));
}

export const secondsOf = ({ pcm }: CallerLine): number => pcm.length / SAMPLE_RATE;
