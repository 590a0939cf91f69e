/** Why a vendor refuses one request, though it takes others: what was said in it, or how much. */
export type RequestRefusal = 'content' | 'too_long';

/** So many requests refused in a row, for whatever was said, are taken for a refusal of all. */
export const MOST_REFUSALS = 3;

/** Statuses of HTTP with which vendors refuse what a request holds. */
const STATUSES = [400, 413, 422];
const TOO_LONG = /too (?:long|large|many tokens)|exceeds? .*tokens|reduce the length/i;
/** These say so wherever they stand, also in an error that a stream brings. */
const TOO_MUCH_CONTEXT =
  /maximum context|context (?:length|size|window)|context_length_exceeded|exceed_context_size|input tokens? exceed/i;
const FORBIDDEN_CONTENT = /content[_ ](?:filter|policy|management)|invalid_prompt|ResponsibleAI|\bflagged\b/i;
/** What every request of this bot has in common: the key, the account, the model, its settings, the functions. */
const OF_EVERY_REQUEST = new RegExp(
  [
    /\bapi[ _-]?key\b|\bcredentials?\b|\bcredit\b|\bbilling\b|\bquota\b/,
    /\bmodel\b.{0,80}\b(?:not exist|not found|not supported|not available)/,
    /\b(?:invalid|unknown|unsupported|no such) model\b/,
    /\bparameters?\b|\brequest argument\b|\bunrecognized (?:field|key)|\bextra (?:inputs|fields)\b/,
    /\bdoes not support\b|\bnot supported with this model\b|\bschema\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

/**
 * Tells the refusal of one request from a refusal of all of them, and from a failure that may pass.
 * @param status of HTTP; undefined, 200 or 500 where the error came in a stream
 * @param words the vendor's own, and its code
 * @returns undefined when it is not one request that is refused
 */
export function requestRefusal(status: number | undefined, words: string): RequestRefusal | undefined {
  const isOfContent = STATUSES.includes(status ?? 0);
  if (!isOfContent && status !== undefined && status >= 400 && status < 500) return undefined;
  if (status === 413 || TOO_MUCH_CONTEXT.test(words)) return 'too_long';
  if (FORBIDDEN_CONTENT.test(words)) return 'content';
  if (!isOfContent || OF_EVERY_REQUEST.test(words)) return undefined;
  return TOO_LONG.test(words) ? 'too_long' : 'content';
}
