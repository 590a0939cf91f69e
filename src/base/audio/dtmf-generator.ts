import { VoicebotError } from '../errors.js';
import type { DtmfDigit } from './dtmf-digit.js';
import { COLUMN_FREQUENCIES, KEYPAD, ROW_FREQUENCIES } from './dtmf-keypad.js';

/** How long and how loud a key sounds. */
export interface DtmfToneOptions {
  /** Length of the tone in milliseconds. Default 100. */
  durationMs?: number;
  /** Hertz. Default 8000. */
  sampleRate?: number;
  /** RMS of the two tones together in dB relative to full scale, at most -6.03 so that nothing clips. Default -10. */
  levelDb?: number;
}

/** How long a key sounds and how long nothing does after it, in milliseconds: more than twice what receivers need (ITU-T Q.24). */
const KEY_MS = 100;

/** Two sines reach full scale together when each has half its amplitude. */
const MAX_LEVEL_DB = -6.03;

/**
 * The sound of one key: its row and its column tone at the same level, both from phase 0.
 * @returns `durationMs` of mono samples, without any pause before or after
 * @throws VoicebotError VB_AUDIO_INVALID when the level would clip
 * @see ITU-T Q.23
 */
export function generateDtmf(
  digit: DtmfDigit,
  { durationMs = KEY_MS, sampleRate = 8_000, levelDb = -10 }: DtmfToneOptions = {},
): Int16Array {
  if (!(levelDb <= MAX_LEVEL_DB)) {
    throw new VoicebotError('VB_AUDIO_INVALID', `key tones at ${levelDb} dB would clip`, {
      hint: `Use a level of ${MAX_LEVEL_DB} dB or below.`,
    });
  }
  const key = KEYPAD.indexOf(digit);
  const row = ((ROW_FREQUENCIES[key >> 2] as number) * 2 * Math.PI) / sampleRate;
  const column = ((COLUMN_FREQUENCIES[key & 3] as number) * 2 * Math.PI) / sampleRate;
  const amplitude = 32_767 * 10 ** (levelDb / 20); // the RMS of two equal sines is the amplitude of one
  return Int16Array.from({ length: Math.round((durationMs * sampleRate) / 1_000) }, (_, n) =>
    Math.round(amplitude * (Math.sin(row * n) + Math.sin(column * n))),
  );
}

/**
 * Keys pressed one after the other, each followed by a pause as long as its tone.
 * @param sampleRate hertz
 * @returns 200 ms of mono samples for each key
 * @see ITU-T Q.24 (table A-1)
 */
export function generateKeys(digits: readonly DtmfDigit[], sampleRate: number): Int16Array {
  const samples = (2 * KEY_MS * sampleRate) / 1_000;
  const pcm = new Int16Array(digits.length * samples);
  for (const [index, digit] of digits.entries()) {
    pcm.set(generateDtmf(digit, { durationMs: KEY_MS, sampleRate }), index * samples);
  }
  return pcm;
}
