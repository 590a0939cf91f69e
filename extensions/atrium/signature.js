import { createHmac } from 'node:crypto';
import { isSameSecret } from 'voicebot/provider';

const HEADER = 'x-atrium-signature';
/** How far the time of a signature may be from now, before or after, in milliseconds. */
const WINDOW_MS = 300_000;

/**
 * @param {string} secret base64
 * @param {string} at milliseconds since the epoch
 * @param {Buffer} body
 */
const digest = (secret, at, body) =>
  createHmac('sha256', Buffer.from(secret, 'base64')).update(`${at}.`).update(body).digest('hex');

/**
 * The headers that Atrium sends with a webhook.
 * @param {Buffer} body
 * @param {string} secret base64
 * @param {number} now milliseconds since the epoch
 */
export const signatureHeaders = (body, secret, now) => ({
  'content-type': 'application/json',
  [HEADER]: `t=${now},v1=${digest(secret, String(now), body)}`,
});

/** @type {import('voicebot/provider').RoomProvider['verifyWebhook']} */
export function verifyWebhook({ headers, body }, secret, now) {
  const header = headers[HEADER];
  const [, at = '', signature = ''] =
    /^t=(\d{1,15}),v1=([0-9a-f]{64})$/.exec(typeof header === 'string' ? header : '') ?? [];
  if (signature === '' || Buffer.from(secret, 'base64').length === 0) return false;
  return Math.abs(now - Number(at)) <= WINDOW_MS && isSameSecret(signature, digest(secret, at, body));
}

/** @type {import('voicebot/provider').RoomProvider['trialWebhook']} */
export function trialWebhook(secret, now) {
  const body = Buffer.from('{"event":"caller.held","held":{}}');
  return { headers: signatureHeaders(body, secret, now), body };
}
