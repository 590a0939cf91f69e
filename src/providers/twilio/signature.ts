import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../base/secret.js';
import type { SignedRequest, TrialWebhook, WebhookCredentials } from '../carrier.js';

export const SIGNATURE_HEADER = 'x-twilio-signature';
/** The parameter of an address that stands for a body which is no form: its SHA-256, hexadecimal. */
export const BODY_HASH = 'bodySHA256';

type Form = SignedRequest['form'];

/**
 * The signature of a request: base64 of an HMAC-SHA1, keyed with the auth token, over the address and the fields of the
 * form in the order of their names, each name followed by its values.
 * @param url as the carrier was given it, with its query; of an upgrade with its `wss:` scheme
 * @param form empty for a GET, an upgrade, and a body that is no form
 * @see carrier reference 7.1
 */
export function twilioSignature(url: string, form: Form, authToken: string): string {
  return createHmac('sha1', authToken)
    .update(url + formText(form))
    .digest('base64');
}

/** The header that the carrier sends with a webhook or an upgrade. */
export function signatureHeaders(url: string, form: Form, authToken: string): Record<typeof SIGNATURE_HEADER, string> {
  return { [SIGNATURE_HEADER]: twilioSignature(url, form, authToken) };
}

/**
 * Whether a webhook is signed, over its address with or without a port, in constant time. A body that is no form has to be
 * that of the hash in the address.
 */
export function verifyTwilio(request: Omit<SignedRequest, 'method'>, authToken: string): boolean {
  const { url, form, body, headers } = request;
  const [, query = ''] = url.split('?', 2);
  const hash = new URLSearchParams(query).get(BODY_HASH);
  if (hash === null) {
    const isCovered = body.length === 0 || form.length > 0;
    return isCovered && isSigned(url, form, headers, authToken);
  }
  const isBody = isSameSecret(hash, createHash('sha256').update(body).digest('hex'));
  return isBody && isSigned(url, [], headers, authToken);
}

/** Whether the upgrade request of a media stream is signed; the carrier may have added a slash to its address. */
export function verifyTwilioUpgrade(
  { url, headers }: Pick<SignedRequest, 'url' | 'headers'>,
  authToken: string,
): boolean {
  return [url, `${url}/`].some((address) => isSigned(address, [], headers, authToken));
}

function isSigned(url: string, form: Form, headers: SignedRequest['headers'], authToken: string): boolean {
  const given = headers[SIGNATURE_HEADER];
  if (typeof given !== 'string' || authToken === '') return false;
  return addressesOf(url).some((address) => isSameSecret(given, twilioSignature(address, form, authToken)));
}

/** A field that is there repeatedly counts once for each of its values, in their order. */
function formText(form: Form): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of form) {
    const known = values.get(name) ?? new Set();
    values.set(name, known.add(value));
  }
  const names = [...values.keys()].sort();
  return names.flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value)).join('');
}

const ADDRESS = /^((?:http|ws)s?:\/\/[^/?#:[]*(?:\[[^\]/?#]*\])?)(:\d*)?(?=[/?#]|$)/;

/** What the carrier may have signed: the address as it is, without its port, and with the port that its scheme stands for. */
function addressesOf(url: string): string[] {
  const [origin, host, port] = ADDRESS.exec(url) ?? [];
  if (origin === undefined || host === undefined) return [];
  const rest = url.slice(origin.length);
  const isSecure = /^(?:https|wss):/.test(url);
  return [url, port === undefined ? `${host}:${isSecure ? 443 : 80}${rest}` : host + rest];
}

/** A webhook about a call that there is not. */
export function trialWebhook(url: string, { authToken }: WebhookCredentials): TrialWebhook {
  const form: Array<[name: string, value: string]> = [['CallSid', `CA${randomBytes(16).toString('hex')}`]];
  const body = Buffer.from(new URLSearchParams(form).toString());
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return { headers: { ...type, ...signatureHeaders(url, form, authToken) }, body };
}
