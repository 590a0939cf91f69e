import { cleanText } from '../../base/clean-text.js';
import { fieldsOf, listOf, textOf } from './vendor-fields.js';

/** Most of a vendor's words that is told, in characters. */
const MAX_WORDS = 300;

/**
 * What a vendor says in the body of an error: the message, in whichever of the usual fields, also those of a FastAPI server
 * (`detail[].msg`). Other fields are not told, for they may repeat the request, and with it what the caller has said; of a
 * body that is not JSON, its start.
 */
export function vendorMessage(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return wordsBeforeJson(body);
  }
  const fields = fieldsOf(Array.isArray(value) ? value[0] : value); // Google has some in a list
  const details = listOf(fields.detail).flatMap((detail) => textOf(fieldsOf(detail).msg) ?? []);
  const words = [
    fields.err_msg,
    fields.message,
    fieldsOf(fields.error).message,
    fields.error,
    fieldsOf(fields.detail).message,
    fields.detail,
    details.join('; '),
  ];
  return cleanText(words.map(textOf).find(Boolean) ?? '', MAX_WORDS);
}

/** A text as far as it has no JSON in it, whole or cut off: that may be the request. */
export function wordsBeforeJson(text: string): string {
  const words = text.replace(/(\{|\[\s*[[{"]|^\s*").*/s, '').replace(/\s+/g, ' ');
  return cleanText(words.trim(), MAX_WORDS).trim();
}

/** Some servers repeat the key that they refuse. Keys are the long words that have digits. */
export function withoutKeys(words: string): string {
  return words.replace(/[\w*-]{20,}/g, (word) => (/\d|\*/.test(word) ? '[redacted]' : word));
}
