import { createHmac } from 'node:crypto';

/**
 * What signs a webhook: HMAC-SHA256 with the decoded secret over the timestamp's text, a dot, and the bytes of the body.
 * @param secret base64
 * @param timestamp the header's text, unchanged
 * @see rooms reference 4.3
 */
export function webhookDigest(secret: string, timestamp: string, body: Buffer): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(`${timestamp}.`).update(body).digest();
}
