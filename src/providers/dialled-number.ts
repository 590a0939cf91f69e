import { VoicebotError } from '../base/errors.js';
import { isPhoneNumber } from '../call/phone-number.js';

/**
 * A telephone number for a request to a carrier. Anything that is not one number is refused: where a carrier takes
 * several, all of them would be dialled.
 * @param e164 such as `+14155550100`
 * @throws VoicebotError VB_REQUEST_INVALID when it is not of that form
 */
export function oneNumber(e164: string): string {
  if (isPhoneNumber(e164)) return e164;
  throw new VoicebotError('VB_REQUEST_INVALID', 'a number is not of the form +14155550100');
}
