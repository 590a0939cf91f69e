import { cleanText } from '../../clean-text.js';
import type { ApiAnswer } from '../../http/api-connection.js';
import { CarrierRequestError } from '../carrier-request-error.js';

/** What the carrier's words mean for whoever set things up (reference 1.1). */
const HINTS: ReadonlyArray<readonly [words: RegExp, hint: string]> = [
  [
    /from parameter is invalid|not associated with your account/i,
    'set CARRIER_PHONE_NUMBER to a voice number of this account',
  ],
  [/barred|geo.?permission/i, "allow this destination in the geo permissions of the carrier's console"],
  [/voice\b.*\bdisabled/i, "have voice calls enabled for this account in the carrier's console"],
  [/not (been )?verified/i, "complete the verification of this account in the carrier's console"],
  [/compliance application/i, "wait until the number's compliance application is accepted"],
  [/concurren/i, 'wait for running calls to end, or have the limit on calls at once raised'],
];

/**
 * The error for an answer that means the request was not done. A 403 that speaks of what the account may do is about
 * that; any other, and every 401, is about the credentials.
 * @param what the request, as in "hanging up"
 * @param words what the carrier said, without secrets
 */
export function refusalOf(what: string, { status, retryAfterMs }: ApiAnswer, words: string): CarrierRequestError {
  const hint = HINTS.find(([pattern]) => pattern.test(words))?.[1];
  if (status === 401 || (status === 403 && hint === undefined)) {
    return new CarrierRequestError('VB_CREDENTIALS_REFUSED', status, `${what} got status ${status}`, {
      hint: 'check CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
    });
  }
  const detail = `${what} got status ${status}: ${words}`;
  return new CarrierRequestError('VB_CARRIER_REQUEST_FAILED', status, detail, { hint, retryAfterMs });
}

/** The longest piece of an answer that enters a message, in characters. */
const MAX_WORDS = 300;

/**
 * What the carrier said: the `error` of its envelope, which may be text or any JSON, else the answer itself. Addresses
 * and telephone numbers that it repeats are left out, because messages are logged.
 */
export function wordsOf(text: string): string {
  const words = cleanText(errorText(text).slice(0, 10 * MAX_WORDS))
    .replaceAll(/\b(?:https?|wss?):\/\/[^\s"'<>\\]+/g, '[address]')
    .replaceAll(/(?<![\w-])\+?\d{7,15}(?![\w-])/g, '[number]');
  return cleanText(words, MAX_WORDS);
}

function errorText(text: string): string {
  try {
    const { error } = JSON.parse(text);
    return typeof error === 'string' ? error : JSON.stringify(error ?? text);
  } catch {
    return text;
  }
}
