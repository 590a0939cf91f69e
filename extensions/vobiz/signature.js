import { createHmac, randomInt } from 'node:crypto';
import { isSameSecret } from 'voicebot/provider';

export const SIGNATURE_HEADER = 'x-vobiz-signature-v3';
const MAIN_ACCOUNT_HEADER = 'x-vobiz-signature-ma-v3';
const NONCE_HEADER = 'x-vobiz-signature-v3-nonce';

/**
 * The V3 signature covers the address without its query, and the nonce; neither the query nor the form (README, fact 4).
 * @param {string} url
 * @param {string} nonce
 * @param {string} authToken
 */
export const signV3 = (url, nonce, authToken) =>
  createHmac('sha256', authToken)
    .update(`${url.replace(/[?#].*$/s, '')}.${nonce}`)
    .digest('base64');

/**
 * The headers that Vobiz sends with a webhook.
 * @param {string} url
 * @param {string} authToken
 */
export function signatureHeaders(url, authToken) {
  const nonce = Array.from({ length: 20 }, () => randomInt(10)).join('');
  return { [SIGNATURE_HEADER]: signV3(url, nonce, authToken), [NONCE_HEADER]: nonce };
}

/** @param {import('voicebot/provider').SignedRequest['headers']} headers */
export function nonceOf(headers) {
  const nonce = headers[NONCE_HEADER];
  return typeof nonce === 'string' && nonce !== '' ? nonce : undefined;
}

/**
 * Whether one of the request's V3 signatures is right: that of the account, or of its main account.
 * @param {Pick<import('voicebot/provider').SignedRequest, 'url' | 'headers'>} request
 * @param {string} authToken
 */
export function verifyV3({ url, headers }, authToken) {
  const nonce = nonceOf(headers);
  if (nonce === undefined || authToken === '') return false;
  const expected = signV3(url, nonce, authToken);
  return [headers[SIGNATURE_HEADER], headers[MAIN_ACCOUNT_HEADER]]
    .flat()
    .some((signature) => signature !== undefined && isSameSecret(signature, expected));
}
