import { type OptionNames, refuseUnknownOptions } from '../names/option-names.js';
import type { OutputAudioFrame } from '../pipeline/frames/index.js';

export interface TransferOptions {
  /** What the caller hears before the transfer is asked for. */
  announce?: OutputAudioFrame | readonly OutputAudioFrame[];
}

const NAMES: OptionNames<TransferOptions> = { announce: true };

/** @throws VoicebotError VB_REQUEST_INVALID for an option that is not known */
export function announcementOf(options: TransferOptions): readonly OutputAudioFrame[] {
  refuseUnknownOptions(options, NAMES, 'VB_REQUEST_INVALID');
  const { announce = [] } = options;
  return Array.isArray(announce) ? announce : [announce as OutputAudioFrame];
}
