import { VoicebotError } from '../../base/errors.js';

/**
 * Lets through what can stand in a URL path as it is: a room's name, or the provider's identifier of something (a UUID).
 * @throws VoicebotError VB_IDENTIFIER_INVALID
 * @see rooms reference 6.1
 */
export function requireIdentifier(value: string, what: string): void {
  // The value stays out of the message: a key pasted in the place of an identifier would be shown.
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]{1,128}$/.test(value)) {
    throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be 1 to 128 letters, digits, "-" or "_"`);
  }
}
