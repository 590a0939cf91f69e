import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { parseFields } from '../../base/http/json-fields.js';
import { isSameSecret } from '../../base/secret.js';
import { PermissionClaims } from './permission-claims.js';

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

const Header = z.object({ alg: z.literal('HS256') });

/** The claims of a token, under the short names that tokens have. @see rooms reference 7 */
export const SignedClaims = z.object({
  /** Room; absent: any room of the domain. */
  r: z.string().optional(),
  /** Domain id. */
  d: z.string(),
  /** Seconds since the epoch. */
  iat: z.number().optional(),
  nbf: z.number().optional(),
  exp: z.number().optional(),
  /** Owner. */
  o: z.boolean().optional(),
  /** User name. */
  u: z.string().optional(),
  /** User id. */
  ud: z.string().optional(),
  /** Ejects when it expires. */
  ejt: z.boolean().optional(),
  /** Ejects so many seconds after joining. */
  eje: z.number().optional(),
  /** Starts with the camera off. */
  vo: z.boolean().optional(),
  /** Starts with the microphone off. */
  ao: z.boolean().optional(),
  p: PermissionClaims.optional(),
});

export type SignedClaims = z.infer<typeof SignedClaims>;

/** Signs a token: a JSON Web Token, HMAC-SHA256 with the account's key. @see RFC 7519 */
export function signToken(claims: SignedClaims, apiKey: string): string {
  const signed = `${HEADER}.${encode(claims)}`;
  return `${signed}.${signatureOf(signed, apiKey)}`;
}

/** The claims of a token; undefined for a text that is no token or was signed with another key. Does not check its times. */
export function readSignedToken(token: string, apiKey: string): SignedClaims | undefined {
  const [header, payload, signature, ...rest] = token.split('.');
  if (!header || !payload || !signature || rest.length > 0) return undefined;
  if (!isSameSecret(signature, signatureOf(`${header}.${payload}`, apiKey))) return undefined;
  return Header.safeParse(decode(header)).success ? SignedClaims.safeParse(decode(payload)).data : undefined;
}

function signatureOf(text: string, apiKey: string): string {
  return createHmac('sha256', apiKey).update(text).digest('base64url');
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): unknown {
  return parseFields(Buffer.from(text, 'base64url').toString());
}
