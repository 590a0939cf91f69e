import { webcrypto } from 'node:crypto';

/** One entry of `test/fixtures/plivo/signature-v3.json`. */
export interface SignatureVector {
  title: string;
  /** An `upgrade` is signed as a GET over `http://`, whatever the scheme of its address. */
  kind: 'webhook' | 'upgrade';
  method: string;
  url: string;
  form: [name: string, value: string][];
  nonce: string;
  /** Signatures by other tokens that stand before the right one in the header. */
  otherSignatures?: string[];
  signature: string;
}

/**
 * What the carrier signs, by its description and without any code of this project, nor the platform's readers of
 * addresses and forms.
 */
export function signedText({ kind, method, url, form, nonce }: Omit<SignatureVector, 'title' | 'signature'>): string {
  const [address = ''] = (kind === 'upgrade' ? url.replace(/^wss?:/, 'http:') : url).split('#');
  const [base = '', ...queries] = address.split('?');
  const fields = queries
    .join('?')
    .split('&')
    .filter((field) => field !== '')
    .map((field): [string, string] => {
      const [name = '', ...values] = field.split('=');
      return [decoded(name), decoded(values.join('='))];
    });
  const query = inOrder(fields).map(([name, value]) => `${name}=${value}`);
  const posted = method === 'POST' ? inOrder(form).map(([name, value]) => name + value) : [];
  const parts = [query.join('&'), posted.join('')].filter((part) => part !== '');
  return `${base}${parts.length > 0 ? '?' : ''}${parts.join('.')}.${nonce}`;
}

/** Base64 of the HMAC-SHA256 of {@link signedText}, by WebCrypto. */
export async function webCryptoSignature(vector: SignatureVector, authToken: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('raw', bytes.encode(authToken), algorithm, false, ['sign']);
  const signature = await webcrypto.subtle.sign(algorithm, key, bytes.encode(signedText(vector)));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** `+` and `%XX` as a form means them; the bytes are UTF-8. */
function decoded(text: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; ) {
    const hex = /^%([0-9a-f]{2})/i.exec(text.slice(at, at + 3))?.[1];
    if (hex) bytes.push(Number.parseInt(hex, 16));
    else bytes.push(...new TextEncoder().encode(text[at] === '+' ? ' ' : text[at]));
    at += hex ? 3 : 1;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes));
}

/** By name and then by value, by the numbers of their characters, which is the order of their bytes in UTF-8. */
function inOrder(fields: readonly [string, string][]): [string, string][] {
  return fields.toSorted(
    ([name, value], [otherName, otherValue]) => compare(name, otherName) || compare(value, otherValue),
  );
}

function compare(one: string, other: string): number {
  const ones = Array.from(one, (character) => character.codePointAt(0) ?? 0);
  const others = Array.from(other, (character) => character.codePointAt(0) ?? 0);
  const at = ones.findIndex((code, index) => code !== others[index]);
  return at < 0 ? ones.length - others.length : (ones[at] ?? 0) - (others[at] ?? -1);
}
