import { UsualTimes } from '../usual-times.js';
import type { VoiceSource } from './voice.js';

/** When the first sound of a voice is due that this process has not heard, in milliseconds after it was asked. */
const USUAL_MS = 300;
/** No more than this is learned of a voice that was not waited for longer: it may be one that hangs. */
const LONGEST_LEARNED_MS = 2_000;
/** So much longer than it was waited for a voice is taken to need. */
const LONGER = 1.25;

/** How long the voices of this process take to their first sound, by their keys. */
const usual = new UsualTimes();

/** When the first sound of a voice is due, in milliseconds after it was asked. */
export const dueMsOf = ({ key, firstSoundMs = USUAL_MS }: VoiceSource): number => usual.of(key) ?? firstSoundMs;

export function tookToSound({ key }: VoiceSource, ms: number): void {
  usual.took(key, ms);
}

/** It was cut after so long, without a sound: it takes longer. */
export function tookTooLong({ key }: VoiceSource, ms: number): void {
  usual.took(key, Math.min(LONGER * ms, LONGEST_LEARNED_MS));
}
