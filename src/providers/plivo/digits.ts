import { isPhoneNumber } from '../../call/phone-number.js';
import { VoicebotError } from '../../errors.js';

/**
 * A telephone number as the voice API takes it: digits only (carrier reference 1.1). Anything that is not one number is refused:
 * several, joined with `<`, would all be dialled (carrier reference 1.2).
 * @param e164 such as `+14155550100`
 * @throws VoicebotError VB_REQUEST_INVALID when it is not of that form
 */
export function digitsOf(e164: string): string {
  if (!isPhoneNumber(e164)) {
    throw new VoicebotError('VB_REQUEST_INVALID', 'a number is not of the form +14155550100');
  }
  return e164.slice(1);
}
