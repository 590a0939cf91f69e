import { normalisePhoneNumber } from './phone-number.js';

/** What networks, carriers and telephones send in place of a number that is withheld or not known. */
const WORDS: ReadonlySet<string> = new Set([
  'anonymous',
  'blocked',
  'restricted',
  'private',
  'unavailable',
  'unknown',
  'withheld',
  'noname',
  'nonumber',
  'nocallerid',
  'callerunknown',
  'unknowncaller',
  'privatenumber',
  'withheldnumber',
  'notavailable',
  'numberunavailable',
  'outofarea',
  'idunavailable',
  'null',
  'undefined',
]);

/**
 * The same words as keys of a telephone, which look like E.164 and are no number of any country: 266696687 ANONYMOUS (Lesotho has
 * 8 digits after 266), 7378742833 RESTRICTED (Russia has 10 after 7), 2562533 BLOCKED (Uganda has 9 after 256), 8656696 UNKNOWN, also
 * sent as 8566696 (China and Laos have 8 or more after 86 and 856), 86282452253 UNAVAILABLE (Chengdu, 28, has 8 more), 7748283
 * PRIVATE (Kazakhstan has 10 after 7).
 */
const KEYED: ReadonlySet<string> = new Set([
  '+266696687',
  '+7378742833',
  '+2562533',
  '+8656696',
  '+8566696',
  '+86282452253',
  '+7748283',
]);

/**
 * Who calls, as a provider tells it: the one place that knows whether the number is withheld.
 * @param raw a number, a `sip:` address (RFC 3323 has `anonymous@anonymous.invalid`), a word, or nothing
 * @param isE164 the provider sends E.164 without its "+" too
 * @returns E.164 where it is a number, undefined where it is withheld or not known, else as received
 */
export function callerNumber(raw: string | undefined, isE164: boolean): string | undefined {
  const text = (raw ?? '').trim();
  const address = /^[^<]*<([^>]*)>/.exec(text)?.[1] ?? text;
  const [, user = '', host = ''] = /^(?:(?:sips?|tel):)?([^@;]*)(?:@([^;:>]*))?/i.exec(address) ?? [];
  const word = user.toLowerCase().replace(/[^\p{L}\p{N}+]/gu, '');
  const number = /^\+\d+$/.test(word) || !isE164 ? word : `+${word}`;
  const isWithheld = word === '' || WORDS.has(word) || KEYED.has(number) || /^anonymous\.invalid$/i.test(host);
  if (isWithheld) return undefined;
  return isE164 ? normalisePhoneNumber(text) : text;
}
