import { VoicebotError } from '../../base/errors.js';

/** What the identifiers of this carrier begin with. */
export type SidKind = 'AC' | 'CA' | 'MZ' | 'PN' | 'AP' | 'TK';

/**
 * Whether `value` has the form of this carrier's identifiers of one kind: two capital letters and 32 hexadecimal digits.
 * Such a value can stand in a URL path as it is.
 */
export function isSid(value: unknown, kind: SidKind): value is string {
  return typeof value === 'string' && value.startsWith(kind) && /^[A-Z]{2}[0-9a-fA-F]{32}$/.test(value);
}

/**
 * @param what as in "call SID"
 * @throws VoicebotError VB_IDENTIFIER_INVALID
 */
export function requireSid(value: string, kind: SidKind, what: string): void {
  // The value stays out of the message: a token pasted in the place of an identifier would be shown.
  if (!isSid(value, kind)) {
    throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be "${kind}" and 32 hexadecimal digits`);
  }
}
