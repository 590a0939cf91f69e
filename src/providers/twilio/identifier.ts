import { VoicebotError } from '../../base/errors.js';

/** What the identifiers of this carrier begin with. */
export type SidKind = 'AC' | 'SK' | 'CA' | 'MZ' | 'PN' | 'AP' | 'TK';

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

/** What is wrong with what stands where the account SID belongs; the value itself stays out of it. @param name the variable */
export function accountSidProblem(value: string, name: string) {
  if (isSid(value, 'AC')) return undefined;
  if (isSid(value, 'SK')) {
    return {
      problem: `${name} holds the SID of an API key (SK…), and not of an account`,
      hint: `Put it into TWILIO_API_KEY, its secret into TWILIO_API_SECRET, and the account SID (AC…) into ${name}: https://console.twilio.com`,
    };
  }
  return {
    problem: `${name} must be "AC" and 32 hexadecimal digits`,
    hint: 'Copy the account SID from https://console.twilio.com',
  };
}
