import { createHmac, randomUUID } from 'node:crypto';
import { isSameSecret } from '../../base/secret.js';
import type { SignedRequest, TrialWebhook, WebhookCredentials } from '../carrier.js';

export const SIGNATURE_HEADER = 'x-plivo-signature-v3';
const MAIN_ACCOUNT_HEADER = 'x-plivo-signature-ma-v3';
const NONCE_HEADER = 'x-plivo-signature-v3-nonce';

export type SignatureHeaders = Record<
  typeof SIGNATURE_HEADER | typeof MAIN_ACCOUNT_HEADER | typeof NONCE_HEADER,
  string
>;

/** What a signature covers, besides the nonce. */
export type SignedContent = Pick<SignedRequest, 'method' | 'url' | 'form'>;

/**
 * The V3 signature of a webhook request: base64 of an HMAC-SHA256 keyed with the auth token.
 * @see carrier reference 3.2
 */
export function signV3(content: SignedContent, nonce: string, authToken: string): string {
  return createHmac('sha256', authToken)
    .update(`${signedText(content)}.${nonce}`)
    .digest('base64');
}

/** The headers the carrier sends with a webhook request, for an account that is its own main account. */
export function signatureHeaders(
  content: SignedContent,
  authToken: string,
  nonce: string = randomUUID(),
): SignatureHeaders {
  const signature = signV3(content, nonce, authToken);
  return { [SIGNATURE_HEADER]: signature, [MAIN_ACCOUNT_HEADER]: signature, [NONCE_HEADER]: nonce };
}

/**
 * The headers the carrier sends with the upgrade request of a media stream: signed as a GET over `http://`, whatever
 * the scheme of the address.
 * @see carrier reference 3.3
 */
export function upgradeSignatureHeaders(url: string, authToken: string, nonce?: string): SignatureHeaders {
  return signatureHeaders({ method: 'GET', url: withScheme('http', url), form: [] }, authToken, nonce);
}

/** What makes a signed request different from every other one; undefined when it has none. */
export function nonceOf(headers: SignedRequest['headers']): string | undefined {
  const nonce = headers[NONCE_HEADER];
  return typeof nonce === 'string' && nonce !== '' ? nonce : undefined;
}

/**
 * Whether one of the request's V3 signatures is right. A header may hold several, separated by commas, while a token is
 * being replaced; the main account's header counts too. Compares in constant time. The older signature versions do not
 * cover the parameters and are not accepted.
 * @see carrier reference 3.2 and 3.4
 */
export function verifyV3(request: SignedContent & Pick<SignedRequest, 'headers'>, authToken: string): boolean {
  const nonce = nonceOf(request.headers);
  if (nonce === undefined || authToken === '') return false;
  const expected = signV3(request, nonce, authToken);
  return [request.headers[SIGNATURE_HEADER], request.headers[MAIN_ACCOUNT_HEADER]]
    .flat()
    .flatMap((header) => header?.split(',') ?? [])
    .some((signature) => isSameSecret(signature.trim(), expected));
}

/**
 * Whether the upgrade request of a media stream is signed: as a GET over `http://`, as the carrier does; the other
 * schemes and an address without its query are tried too, since the signature still binds host and path.
 * @see carrier reference 3.3
 */
export function verifyUpgradeV3({ url, headers }: Pick<SignedRequest, 'url' | 'headers'>, authToken: string): boolean {
  const withoutQuery = url.replace(/[?#].*$/s, '');
  return ['http', 'https', 'wss', 'ws'].some((scheme) =>
    [...new Set([url, withoutQuery])].some((address) =>
      verifyV3({ method: 'GET', url: withScheme(scheme, address), form: [], headers }, authToken),
    ),
  );
}

/** The address byte for byte up to its query, then the sorted parameters, joined as the carrier joins them. */
function signedText({ method, url, form }: SignedContent): string {
  const [address = ''] = url.split('#', 1);
  const queryAt = address.indexOf('?');
  const base = queryAt < 0 ? address : address.slice(0, queryAt);
  // URLSearchParams drops one leading question mark, so it is given one to drop.
  const query = sorted([...new URLSearchParams(queryAt < 0 ? '' : `?${address.slice(queryAt + 1)}`)]);
  const queryText = query.map(([name, value]) => `${name}=${value}`).join('&');
  const formText = method.toUpperCase() === 'POST' ? sorted(form).flat().join('') : '';
  const parameters = [queryText, formText].filter((text) => text !== '').join('.');
  return parameters === '' ? base : `${base}?${parameters}`;
}

type Field = readonly [name: string, value: string];

/** By name, then by value, in byte order of UTF-8. */
function sorted(fields: readonly Field[]): Field[] {
  return fields.toSorted((a, b) => compareBytes(a[0], b[0]) || compareBytes(a[1], b[1]));
}

function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Only for an address of a scheme that streams have: any other stays what it is, and fails. */
function withScheme(scheme: string, url: string): string {
  return url.replace(/^(?:wss?|https?)(?=:)/, scheme);
}

/** A webhook about a call that there is not. */
export function trialWebhook(url: string, { authToken }: WebhookCredentials): TrialWebhook {
  const form: Array<[name: string, value: string]> = [['CallUUID', randomUUID()]];
  const signature = signatureHeaders({ method: 'POST', url, form }, authToken);
  const body = Buffer.from(new URLSearchParams(form).toString());
  return { headers: { 'content-type': 'application/x-www-form-urlencoded', ...signature }, body };
}
