import { stripVTControlCharacters } from 'node:util';

const LINE_BREAKS = /[\n\r\v\f\u0085\u2028\u2029]+/g;
/** Marks that turn the reading direction, and characters that take no room. Joiners stay: scripts and emoji need them. */
const UNSEEN = /[\p{Bidi_C}\u00ad\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;
/** Every control character but the tab, and halves of characters. */
const BROKEN = /[^\P{Cc}\t]|\p{Cs}/gu;

/**
 * Text that came from outside (a carrier, a room provider, a speech or model company, a bot, another program) as one line
 * that is safe to show: without escape sequences, marks that turn the reading direction and invisible characters. Line
 * breaks become spaces, other control characters U+FFFD.
 * @param limit most characters of the result, which ends in `…` when it was cut. Default: any number
 */
export function cleanText(text: string, limit = Number.POSITIVE_INFINITY): string {
  const clean = stripVTControlCharacters(text).replace(LINE_BREAKS, ' ').replace(UNSEEN, '').replace(BROKEN, '\ufffd');
  if (clean.length <= limit) return clean;
  const characters = [...clean];
  return characters.length <= limit ? clean : `${characters.slice(0, limit - 1).join('')}…`;
}

/** The same JSON with escapes in place of what a terminal obeys or does not show. */
export function visibleJson(json: string): string {
  const escapes = (text: string) =>
    Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
  // JSON has the other control characters between its lines only.
  return json.replace(UNSEEN, escapes).replace(/[^\P{Cc}\n]|[\u2028\u2029]/gu, escapes);
}
