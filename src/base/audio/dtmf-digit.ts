import { VoicebotError } from '../errors.js';

/** The sixteen keys of ITU-T Q.23. */
export const DTMF_DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '#', 'A', 'B', 'C', 'D'] as const;

/**
 * A key of a phone.
 * @useDeclaredType
 */
export type DtmfDigit = (typeof DTMF_DIGITS)[number];

/** True for exactly the sixteen key names; `a` to `d` in lower case are not among them. */
export function isDtmfDigit(value: unknown): value is DtmfDigit {
  return (DTMF_DIGITS as readonly unknown[]).includes(value);
}

/**
 * The keys of a text.
 * @param text 1 to 64 of `0-9 * # A-D`, in either case
 * @throws VoicebotError VB_REQUEST_INVALID for anything else
 */
export function dtmfDigitsOf(text: string): DtmfDigit[] {
  const digits = [...text.toUpperCase()];
  if (digits.length >= 1 && digits.length <= 64 && digits.every(isDtmfDigit)) return digits;
  throw new VoicebotError('VB_REQUEST_INVALID', 'keys to press must be 1 to 64 of 0-9 * # A-D');
}
