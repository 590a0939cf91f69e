import { parse, stringify } from 'node:querystring';
import { verifyTwilio, verifyTwilioUpgrade } from '../../../src/providers/twilio/signature.js';
import { oneByteOff } from '../one-byte-off.js';
import { AUTH_TOKEN, isAcceptedByVendor, type SignatureVector } from './signature-vectors.js';

/** Whether we accept a request. */
export function isAcceptedByUs(vector: SignatureVector, authToken = AUTH_TOKEN): boolean {
  const { kind, url, form, body, signature } = vector;
  const headers = { 'x-twilio-signature': signature };
  if (kind === 'upgrade') return verifyTwilioUpgrade({ url, headers }, authToken);
  const bytes = kind === 'form' && form.length > 0 ? new URLSearchParams(form as [string, string][]).toString() : body;
  return verifyTwilio({ url, form, body: Buffer.from(bytes), headers }, authToken);
}

function* oneByteChanges(
  vector: SignatureVector,
  bitsOf: (at: number) => readonly number[],
): Generator<SignatureVector> {
  for (const url of oneByteOff(vector.url, bitsOf)) yield { ...vector, url };
  for (const signature of oneByteOff(vector.signature, bitsOf)) yield { ...vector, signature };
  for (const body of oneByteOff(vector.body, bitsOf)) yield { ...vector, body };
  for (const [at, [name, value]] of vector.form.entries()) {
    for (const changed of oneByteOff(name, bitsOf)) yield { ...vector, form: vector.form.with(at, [changed, value]) };
    for (const changed of oneByteOff(value, bitsOf)) yield { ...vector, form: vector.form.with(at, [name, changed]) };
  }
}

const withoutPort = (url: string) => url.replace(/^(\w+:\/\/(?:\[[^\]]*\]|[^/:]*)):[^/?#]*/, '$1');

/** The same address in another notation, which the vendor's package reads as one. */
function normalised(url: string): string {
  if (!URL.canParse(url)) return url;
  const [address = '', query = ''] = withoutPort(new URL(url).href).split('?', 2);
  return `${address}?${stringify(parse(query))}`;
}

interface Changes {
  /** Which bits of the byte at an index are changed, each for itself. */
  readonly bitsOf: (at: number) => readonly number[];
  /** Whether the vendor's package must refuse it too. */
  readonly asksVendor: boolean;
}

/**
 * Every request of the vectors with one byte changed, in the address, the fields, the body, the signature or the token, must be
 * refused. Which port a request came to is not signed where the carrier leaves it out.
 */
export function describeChanges(vectors: readonly SignatureVector[], { bitsOf, asksVendor }: Changes): void {
  test.each(vectors)('$title is refused when one byte changes', (vector) => {
    const accepted: string[] = [];
    let refused = 0;
    const isSamePort = ({ url }: SignatureVector) => withoutPort(url) === withoutPort(vector.url) && url !== vector.url;
    const isSameAddress = ({ url }: SignatureVector) =>
      url !== vector.url && normalised(url) === normalised(vector.url);
    for (const changed of oneByteChanges(vector, bitsOf)) {
      if (isAcceptedByUs(changed) && !isSamePort(changed)) accepted.push(`by us: ${JSON.stringify(changed)}`);
      if (asksVendor && isAcceptedByVendor(changed) && !isSamePort(changed) && !isSameAddress(changed))
        accepted.push(`by the vendor: ${JSON.stringify(changed)}`);
      refused += 1;
    }
    for (const token of oneByteOff(AUTH_TOKEN, bitsOf)) {
      if (isAcceptedByUs(vector, token) || (asksVendor && isAcceptedByVendor(vector, token))) accepted.push(token);
    }
    expect(accepted).toEqual([]);
    expect(refused).toBeGreaterThanOrEqual(vector.url.length + vector.signature.length);
  });
}
