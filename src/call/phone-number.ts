/** A `+`, no zero first, 7 to 15 digits. */
export const E164: RegExp = /^\+[1-9]\d{6,14}$/;

/** Invisible characters: marks that turn the reading direction, characters without width, soft hyphens. */
const UNSEEN = /[\p{Bidi_C}\p{Default_Ignorable_Code_Point}]/u;
/** What people and spreadsheets put between the digits: spaces and dashes of all kinds, dots, brackets, strokes. */
const SEPARATOR = /[\s\p{Zs}\p{Pd}\u2043\u2212\u30fc.\u00b7\u2024\u2027\uff0e()[\]\uff08\uff09/\u2044\u2215\uff0f]/u;
const PLUS = /[+\ufe62\uff0b]/;
/** How a number begins in a link, and where a spreadsheet was told that it is a text. */
const BEFORE = /^(?:['\u2018\u2019`]|tel:)/i;
/** As in `x123`, `ext. 9`, `;ext=9` (RFC 3966) and `#9`. */
const EXTENSION = /^(?:;\s*)?(?:e?xt(?:n|ension)?|x|#|durchwahl|poste|int(?:erno)?)\s*[.:=]?\s*\p{Nd}+$/iu;
/** As spreadsheets write long numbers. */
const SCIENTIFIC = /^[+\d.,]*\d[.,]?\d*E\+?\d+$/i;

/** Characters that would not be recognised by how they look. */
const NAMES: Readonly<Record<string, string>> = {
  '\ufffd': 'the replacement character',
  O: 'the letter O',
  o: 'the letter o',
  l: 'the letter l',
  I: 'the letter I',
};

/** A number as a person has written it: E.164, or what is wrong, in words that begin a sentence after the name of its field. */
export type WrittenNumber = { readonly number: string } | { readonly problem: string };

/** One character that counts. */
interface Sign {
  readonly character: string;
  /** Where it stands, in characters, from 1. */
  readonly at: number;
}

/**
 * Reads a telephone number with its country, however it was written or copied: `+1 (202) 555-0123`, `tel:+12025550123`,
 * with invisible marks, with digits of another script. What separates or is not seen is left out, the rest is
 * judged. The problem names a character by its place, not the number.
 * @see ITU-T E.123 and RFC 3966 for how numbers are written
 */
export function readPhoneNumber(written: string): WrittenNumber {
  const signs = signsOf(written);
  const text = signs.map(({ character }) => character).join('');
  if (E164.test(text)) return { number: text };
  return { problem: problemOf(signs, text) };
}

/** As {@link readPhoneNumber}. @throws Error saying what is wrong */
export function numberAsWritten(written: string): string {
  const read = readPhoneNumber(written);
  if ('number' in read) return read.number;
  throw new Error(read.problem);
}

/**
 * Writes a telephone number as E.164 (`+14155550100`) when it is one. Carriers send digits without the `+`; anything
 * that is not 7 to 15 digits (a `sip:` address) comes back as it was.
 * @see ITU-T E.164
 */
export function normalisePhoneNumber(raw: string): string {
  const text = signsOf(raw)
    .map(({ character }) => character)
    .join('');
  const number = text.startsWith('+') ? text : `+${text}`;
  return isPhoneNumber(number) ? number : raw;
}

/** Whether a text is a telephone number as E.164 with its `+`, such as `+14155550100`. */
export const isPhoneNumber = (text: string): boolean => E164.test(text);

/** What is left without separators and what is not seen, with digits and the plus in their plain form. */
function signsOf(written: string): Sign[] {
  const seen = [...written]
    .map((character, index) => ({ character, at: index + 1 }))
    .filter(({ character }) => !UNSEEN.test(character) && !SEPARATOR.test(character));
  const [before] = BEFORE.exec(seen.map(({ character }) => character).join('')) ?? [''];
  return seen.slice(before.length).map(({ character, at }) => ({ character: plain(character), at }));
}

function plain(character: string): string {
  if (PLUS.test(character)) return '+';
  return /\p{Nd}/u.test(character) ? digitOf(character) : character;
}

/** The digits of each script stand together, from 0 to 9 (Unicode, 4.6). */
function digitOf(character: string): string {
  const ascii = character.normalize('NFKC');
  if (/^\d$/.test(ascii)) return ascii;
  const code = character.codePointAt(0) as number;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

function problemOf(signs: readonly Sign[], text: string): string {
  if (text === '') return 'is empty';
  if (SCIENTIFIC.test(text)) {
    return 'was rounded by a spreadsheet: write the column as text, since digits are lost';
  }
  const wrong = signs.find(({ character }, index) => !/\d/.test(character) && (index > 0 || character !== '+'));
  const rest = wrong ? signs.slice(signs.indexOf(wrong)) : [];
  if (EXTENSION.test(rest.map(({ character }) => character).join(''))) {
    return 'has an extension, which cannot be dialled: write the number alone, and let the bot press keys after the answer';
  }
  if (wrong?.character === '+') return `has a second "+" at character ${wrong.at}: write one number`;
  if (wrong && /[,;|]/.test(wrong.character)) return `has ${named(wrong)}: write one number, without anything after it`;
  if (wrong) return `has ${named(wrong)}, which is no digit`;
  if (!text.startsWith('+')) {
    return `must begin with "+" and the country code${text.startsWith('00') ? ': write + in place of 00' : ''}`;
  }
  if (text.startsWith('+0')) return 'has a zero after the "+": no country code begins with 0';
  return `has ${text.length - 1} digits after the "+": 7 to 15 are possible`;
}

function named({ character, at }: Sign): string {
  const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  const name = NAMES[character] ?? (/[\p{C}\p{M}\p{Z}]/u.test(character) ? '' : `"${character}"`);
  return `${name === '' ? `U+${code}` : `${name} (U+${code})`} at character ${at}`;
}

/** A number with what one may know of it, in a sentence. */
export interface NotedNumber {
  /** E.164. */
  readonly number: string;
  readonly note: string;
}
