import { VoicebotError } from '../../base/errors.js';

/**
 * Whether `value` has the form of this carrier's identifiers: 1 to 128 letters, digits, `-` or `_`, before which those of calls
 * have a version such as `v3:`. Such a value can stand in a URL path as it is.
 * @see carrier reference 7.2
 */
export function isTelnyxIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^(?:v\d{1,2}:)?[A-Za-z0-9_-]{1,128}$/.test(value);
}

/**
 * @param what as in "call id"
 * @throws VoicebotError VB_IDENTIFIER_INVALID
 */
export function requireIdentifier(value: string, what: string): void {
  // The value stays out of the message: a key pasted in the place of an identifier would be shown.
  if (!isTelnyxIdentifier(value)) {
    throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be 1 to 128 letters, digits, "-" or "_"`);
  }
}
