import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../base/secret.js';
import type { TrialWebhook } from '../carrier.js';

const SIGNATURE_HEADER = 'x-pinless-signature';
const TIMESTAMP_HEADER = 'x-pinless-timestamp';

/** How far a timestamp may be from now, before or after, in milliseconds. */
const WINDOW_MS = 300_000;

/** Timestamps above this are milliseconds, others seconds (rooms reference 4.3). */
const MAX_SECONDS = 1e10;

/**
 * What signs a webhook: HMAC-SHA256 with the decoded secret over the timestamp's text, a dot, and the bytes of the body.
 * @param secret base64
 * @param timestamp the header's text, unchanged
 * @see rooms reference 4.3
 */
export function webhookDigest(secret: string, timestamp: string, body: Buffer): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(`${timestamp}.`).update(body).digest();
}

/**
 * Whether a webhook was signed with our secret, in base64 of either alphabet, padded or not, or in hexadecimal, within five
 * minutes of `now`. A call that is sent again within that time passes again: its call id tells that it is the same. Headers that are missing, sent twice
 * or malformed are refused, and so is a secret without a single byte. Compares in constant time.
 * @param request `body`: the bytes as received
 * @param secret base64
 * @param now milliseconds since the epoch
 * @see rooms reference 4.3
 */
export function verifyWebhook(
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  secret: string,
  now: number,
): boolean {
  const signature = headers[SIGNATURE_HEADER];
  const timestamp = headers[TIMESTAMP_HEADER];
  // A header that came twice is joined with a comma, which neither form has.
  if (typeof timestamp !== 'string' || !/^\d{1,15}$/.test(timestamp) || typeof signature !== 'string') return false;
  if (Buffer.from(secret, 'base64').length === 0) return false;
  const signedAt = Number(timestamp) > MAX_SECONDS ? Number(timestamp) : Number(timestamp) * 1_000;
  if (Math.abs(now - signedAt) > WINDOW_MS) return false;
  const digest = webhookDigest(secret, timestamp, body);
  if (/^[0-9a-f]{64}$/i.test(signature)) return isSameSecret(signature.toLowerCase(), digest.toString('hex'));
  // All are compared: which of them it is takes no time of its own.
  return base64Forms(digest)
    .map((form) => isSameSecret(signature, form))
    .includes(true);
}

/** The four ways in which a digest of 32 bytes is written in base64: either alphabet, with its padding and without. @see RFC 4648 3.2 and 5 */
function base64Forms(digest: Buffer): readonly string[] {
  return (['base64', 'base64url'] as const).flatMap((alphabet) => {
    const bare = digest.toString(alphabet).replace(/=$/, '');
    return [`${bare}=`, bare];
  });
}

/**
 * The headers of a webhook that was signed with our secret.
 * @param secret base64
 * @param now milliseconds since the epoch
 */
export function signWebhook(body: Buffer, secret: string, now: number): Record<string, string> {
  const timestamp = String(now);
  return {
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: webhookDigest(secret, timestamp, body).toString('base64'),
  };
}

/** A webhook about no call. */
export function trialWebhook(secret: string, now: number): TrialWebhook {
  const body = Buffer.from('{"callId":""}');
  return { headers: { 'content-type': 'application/json', ...signWebhook(body, secret, now) }, body };
}
