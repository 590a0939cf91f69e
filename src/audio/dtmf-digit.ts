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
