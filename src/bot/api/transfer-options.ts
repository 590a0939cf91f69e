import type { OptionNames } from '../../base/names/option-names.js';
import type { Sound } from './sound.js';

/** How `Call.transfer` goes about it. */
export interface CallTransferOptions {
  /** What the caller hears before: a text for the bot's voice, or audio. Default: nothing. */
  announce?: string | Sound | undefined;
}

export const TRANSFER_OPTIONS: OptionNames<CallTransferOptions> = { announce: true };
