import { fileURLToPath } from 'node:url';
import { VoicebotError } from '../../base/errors.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../base/names/option-names.js';
import { HOLD_MUSIC, type LoopedSound, loopOf } from '../transports/looped-sound.js';
import { soundIn } from './sound.js';

/** What a caller on hold hears: music, nothing, or a WAV file, by its path or a `file:` URL. */
export type HoldSound = 'music' | 'silence' | string | URL;

/** How `Call.hold` goes about it. */
export interface HoldOptions {
  /** What the caller hears, in a loop, wherever the bot says nothing. Default `music`. */
  sound?: HoldSound | undefined;
}

const HOLD: OptionNames<HoldOptions> = { sound: true };

/** @throws VoicebotError VB_REQUEST_INVALID naming every option that is wrong or not known */
export function checkHold(options: HoldOptions): HoldSound {
  refuseProblems([...unknownOptions(options, HOLD), ...holdProblems('sound', options.sound)], 'VB_REQUEST_INVALID');
  return options.sound ?? 'music';
}

/** @returns a sentence for what is neither `music`, `silence` nor a file */
export function holdProblems(name: string, sound: unknown): string[] {
  const isFile = typeof sound === 'string' ? sound.trim() !== '' : sound instanceof URL && sound.protocol === 'file:';
  if (sound === undefined || isFile) return [];
  return [`${name} must be music, silence, or the path or file: URL of a WAV file, got ${JSON.stringify(sound)}`];
}

/** @returns undefined for silence @throws VoicebotError VB_WAV_INVALID for a file that cannot be read, or has no sound */
export async function holdSoundOf(sound: HoldSound): Promise<LoopedSound | undefined> {
  if (sound === 'music') return HOLD_MUSIC;
  if (sound === 'silence') return undefined;
  const file = String(sound).startsWith('file:') ? fileURLToPath(sound) : sound;
  const { pcm, sampleRate } = await soundIn(file);
  if (pcm.length === 0) throw new VoicebotError('VB_WAV_INVALID', `${file}: it holds no sound`);
  return loopOf(pcm, sampleRate);
}
