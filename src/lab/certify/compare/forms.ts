/** A word, as it stands there. */
export const isWord = (value: string): boolean => value.startsWith('"') || /^(true|false|\d+)$/.test(value);
/** There is no value. */
export const isUnset = (value: string): boolean => value === 'nothing' || value === 'empty text';

/** Forms of which one may stand for the other: how long a call was, and what it has cost, differs from call to call. */
const KINDRED = [
  /^(digits|long digits|decimal)$/,
  /^(integer|fraction|0)$/,
  /^(text|empty text)$/,
  /^(nothing|empty text)$/, // what is not set; Twilio's pages have both in one answer
  /^(hex|base64)$/,
  /^base64, \d+ bytes$/,
];

const NUMBERS: ReadonlyArray<readonly [known: RegExp, form: string]> = [
  [/^<.* number>$/, 'number with +'],
  [/^<.* number, digits>$/, 'long digits'],
];

/** What the sandbox calls a number or an application: names that the owner of an account gives, and that say anything. */
const OWNERS_NAME = '"sandbox"';
const NAME = /^("|<.* number>$|(number with \+|(empty |marked up )?text|(long )?digits)$)/;

/** Whether a value of a field is of a form that is expected of it. */
export function fits(value: string, expected: readonly string[]): boolean {
  if (expected.includes(value)) return true;
  const isSize = value.startsWith('base64, ');
  if (expected.includes('text') && value.startsWith('"')) return true;
  if (expected.includes(OWNERS_NAME) && NAME.test(value)) return true;
  // A number that is not known to be the one that is meant has its form all the same.
  if (expected.some((one) => NUMBERS.some(([known, form]) => known.test(one) && value === form))) return true;
  return !isSize && KINDRED.some((kin) => kin.test(value) && expected.some((one) => kin.test(one)));
}
