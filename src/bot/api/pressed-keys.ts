import { VoicebotError } from '../../base/errors.js';

/** @returns the keys, which may be pressed. @throws VoicebotError VB_REQUEST_INVALID */
export function checkedKeys(keys: string): string {
  if (/^[0-9*#A-D]{1,64}$/.test(keys)) return keys;
  throw new VoicebotError('VB_REQUEST_INVALID', 'keys must be 1 to 64 of 0-9 * # A-D');
}
