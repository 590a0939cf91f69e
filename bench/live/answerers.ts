/** Those who answer a kind of bot. Arguments: the kind, and what it says. */
import { answer, usage } from '../processes/questions.js';
import { type BotKind, startFarEnd } from './far-ends.js';

const [kind = '', text = ''] = process.argv.slice(2);
const CHARACTER_MS = 60;

/** Made once for each rate, so that it takes no time. */
const tones = new Map<number, Int16Array>();
function tone(ms: number, sampleRate: number): Int16Array {
  const length = Math.round((ms * sampleRate) / 1_000);
  const known = tones.get(sampleRate);
  if (known && known.length >= length) return known.subarray(0, length);
  const made = Int16Array.from({ length }, (_, n) => 8_000 * Math.sin((2 * Math.PI * 250 * n) / sampleRate));
  tones.set(sampleRate, made);
  return made;
}

const starting = startFarEnd(kind as BotKind, {
  text,
  audio: (said, sampleRate) => tone(said.length * CHARACTER_MS, sampleRate),
  delayMs: 0,
  betweenChunksMs: 20,
});

const questions = { environment: async () => (await starting).environment, usage };
export type Answerers = typeof questions;

answer(questions);
