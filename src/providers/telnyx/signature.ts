import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import type { SignedRequest, WebhookCredentials } from '../carrier.js';

export const SIGNATURE_HEADER = 'telnyx-signature-ed25519';
const TIMESTAMP_HEADER = 'telnyx-timestamp';

/** How old a request may be, or how far ahead of our clock, in seconds; what the carrier's own library takes. */
const TOLERANCE_S = 300;
/** An Ed25519 signature and public key in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;
const PUBLIC_KEY = /^[A-Za-z0-9+/]{43}=$/;

/**
 * The headers the carrier sends with a webhook request. The signature covers when it was sent and the bytes of the body;
 * not the address, nor its query.
 * @see carrier reference 7.2
 */
export function signatureHeaders(
  body: Uint8Array,
  privateKey: KeyObject,
  nowMs: number,
): Record<typeof SIGNATURE_HEADER | typeof TIMESTAMP_HEADER, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = sign(null, signedBytes(timestamp, body), privateKey).toString('base64');
  return { [SIGNATURE_HEADER]: signature, [TIMESTAMP_HEADER]: timestamp };
}

/** A key pair to sign with in place of the carrier. The public key is as its portal shows one: 32 bytes in base64. */
export function makeSigningKeys(): { readonly privateKey: KeyObject; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { privateKey, publicKey: Buffer.from(x, 'base64url').toString('base64') };
}

/** Whether a request is signed with the account's key, and fresh. Never throws. */
export function verifySignature(
  { body, headers }: Pick<SignedRequest, 'body' | 'headers'>,
  { publicKey }: Pick<WebhookCredentials, 'publicKey'>,
  nowMs: number = Date.now(),
): boolean {
  const [signature, timestamp] = signatureOf(headers) ?? [];
  const key = keyOf(publicKey ?? '');
  if (signature === undefined || timestamp === undefined || !key) return false;
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > TOLERANCE_S) return false;
  return verify(null, signedBytes(timestamp, body), key, Buffer.from(signature, 'base64'));
}

/** What makes a signed request different from every other one; undefined when it has none. */
export function nonceOf(headers: SignedRequest['headers']): string | undefined {
  return signatureOf(headers)?.join(' ');
}

function signatureOf(headers: SignedRequest['headers']): readonly [signature: string, timestamp: string] | undefined {
  const signature = headers[SIGNATURE_HEADER];
  const timestamp = headers[TIMESTAMP_HEADER];
  if (typeof signature !== 'string' || !isCanonical(signature, SIGNATURE)) return undefined;
  return typeof timestamp === 'string' && /^\d{1,15}$/.test(timestamp) ? [signature, timestamp] : undefined;
}

/** In base64 several texts can stand for the same bytes: only the one that is written for them is taken. */
const isCanonical = (text: string, form: RegExp): boolean =>
  form.test(text) && Buffer.from(text, 'base64').toString('base64') === text;

function keyOf(publicKey: string): KeyObject | undefined {
  const text = publicKey.trim();
  if (!PUBLIC_KEY.test(text)) return undefined;
  const x = Buffer.from(text, 'base64').toString('base64url');
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

const signedBytes = (timestamp: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${timestamp}|`), body]);
