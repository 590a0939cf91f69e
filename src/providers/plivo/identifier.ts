import { VoicebotError } from '../../base/errors.js';

/**
 * Whether `value` has the form of this carrier's call, stream, application and account identifiers: 1 to 64 letters,
 * digits, `-` or `_`. Such a value can stand in a URL path as it is: `DELETE Call/` with an empty identifier would end
 * every call of the account (carrier reference 1.3).
 */
export function isPlivoIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

/**
 * @param what as in "call id"
 * @throws VoicebotError VB_IDENTIFIER_INVALID
 */
export function requireIdentifier(value: string, what: string): void {
  // The value stays out of the message: a token pasted in the place of an identifier would be shown.
  if (!isPlivoIdentifier(value)) {
    throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be 1 to 64 letters, digits, "-" or "_"`);
  }
}
