import { oneNumber } from '../dialled-number.js';

/**
 * A telephone number as the voice API takes it: digits only (carrier reference 1.1); several would be joined with `<`
 * (carrier reference 1.2).
 * @param e164 such as `+14155550100`
 * @throws VoicebotError VB_REQUEST_INVALID when it is not of that form
 */
export const digitsOf = (e164: string): string => oneNumber(e164).slice(1);
