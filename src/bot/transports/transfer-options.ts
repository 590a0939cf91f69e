import { VoicebotError } from '../../base/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../base/names/option-names.js';
import { normalisePhoneNumber, readPhoneNumber } from '../../call/phone-number.js';
import type { OutputAudioFrame } from '../pipeline/frames/index.js';

/** How a transport transfers. */
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

/**
 * The number a transfer goes to, E.164.
 * @param name of the option
 * @throws VoicebotError VB_REQUEST_INVALID
 */
export function transferTarget(toEndPoint: string, name = 'toEndPoint'): string {
  const to = readPhoneNumber(normalisePhoneNumber(String(toEndPoint)));
  if ('number' in to) return to.number;
  const must = `${name} must be a telephone number such as +12025550101`;
  throw new VoicebotError('VB_REQUEST_INVALID', `${must}: it ${to.problem}`);
}
