/** A `+`, no zero first, 7 to 15 digits. */
export const E164: RegExp = /^\+[1-9]\d{6,14}$/;

/**
 * Writes a telephone number as E.164 (`+14155550100`) when it is one. Carriers send digits without the `+`; anything
 * that is not 7 to 15 digits (a `sip:` address, `anonymous`) comes back as it was.
 * @see ITU-T E.164
 */
export function normalisePhoneNumber(raw: string): string {
  const digits = raw.trim().replace(/^\+|[\s().-]/g, '');
  return isPhoneNumber(`+${digits}`) ? `+${digits}` : raw;
}

/** Whether a text is a telephone number as E.164 with its `+`, such as `+14155550100`. */
export const isPhoneNumber = (text: string): boolean => E164.test(text);

/** A number with what one may know of it, in a sentence. */
export interface NotedNumber {
  /** E.164. */
  readonly number: string;
  readonly note: string;
}
