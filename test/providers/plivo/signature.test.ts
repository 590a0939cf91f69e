import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SignedRequest } from '../../../src/providers/carrier.js';
import {
  signatureHeaders,
  signV3,
  upgradeSignatureHeaders,
  verifyUpgradeV3,
  verifyV3,
} from '../../../src/providers/plivo/signature.js';
import { oneByteOff } from '../one-byte-off.js';
import { type SignatureVector, signedText, webCryptoSignature } from './webcrypto-signature.js';

const fixture = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/plivo/signature-v3.json'), 'utf8');
const { authToken, vectors }: { authToken: string; vectors: SignatureVector[] } = JSON.parse(fixture);

const headersOf = (nonce: string, ...signatures: string[]) => ({
  'x-plivo-signature-v3': signatures.join(', '),
  'x-plivo-signature-v3-nonce': nonce,
});

/** Whether we accept a request that differs from the vector in what is given. */
function isAccepted(vector: SignatureVector, change: Partial<SignatureVector> = {}): boolean {
  const { kind, method, url, form, nonce, otherSignatures = [], signature } = { ...vector, ...change };
  const headers = headersOf(nonce, ...otherSignatures, signature);
  return kind === 'upgrade'
    ? verifyUpgradeV3({ url, headers }, authToken)
    : verifyV3({ method, url, form, headers }, authToken);
}

/** Every change of the vector's request by one byte, wherever it is. */
function* oneByteChanges(vector: SignatureVector): Generator<Partial<SignatureVector>> {
  for (const url of oneByteOff(vector.url)) yield { url };
  for (const nonce of oneByteOff(vector.nonce)) yield { nonce };
  for (const signature of oneByteOff(vector.signature)) yield { signature };
  for (const [at, [name, value]] of vector.form.entries()) {
    for (const changed of oneByteOff(name)) yield { form: vector.form.with(at, [changed, value]) };
    for (const changed of oneByteOff(value)) yield { form: vector.form.with(at, [name, changed]) };
  }
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('SKIPPED: python3 is not installed\n');

(hasPython ? test : test.skip)('the signatures are what Python makes of the description (needs python3)', () => {
  const script = path.join(import.meta.dirname, 'signature_v3.py');
  const signed = JSON.parse(execFileSync('python3', [script], { input: fixture, encoding: 'utf8' }));
  expect(signed).toEqual({ authToken, vectors });
});

describe.each(vectors)('$title', (vector) => {
  test('is signed as WebCrypto signs what the description says', async () => {
    expect(await webCryptoSignature(vector, authToken)).toBe(vector.signature);
  });

  test('is signed so by us, and accepted', () => {
    const { kind, url, nonce } = vector;
    const signature =
      kind === 'upgrade'
        ? upgradeSignatureHeaders(url, authToken, nonce)['x-plivo-signature-v3']
        : signV3(vector, nonce, authToken);
    expect(signature).toBe(vector.signature);
    expect(isAccepted(vector)).toBe(true);
  });

  test('is refused when one byte of address, form, nonce or signature changes', () => {
    const text = signedText(vector);
    const accepted: Partial<SignatureVector>[] = [];
    let refused = 0;
    for (const change of oneByteChanges(vector)) {
      if (isAccepted(vector, change)) accepted.push(change);
      else refused += 1;
    }
    // An address may write the same thing in two ways, such as %2b and %2B.
    for (const change of accepted) {
      expect(change.url?.toLowerCase()).toBe(vector.url.toLowerCase());
      expect(signedText({ ...vector, ...change })).toBe(text);
    }
    expect(refused).toBeGreaterThan(8 * (vector.url.length + vector.nonce.length + vector.signature.length) - 20);
  });

  test('is refused with a token that differs in one byte', () => {
    const { kind, method, url, form, nonce, signature } = vector;
    const headers = headersOf(nonce, signature);
    for (const token of oneByteOff(authToken)) {
      const accepted =
        kind === 'upgrade' ? verifyUpgradeV3({ url, headers }, token) : verifyV3({ method, url, form, headers }, token);
      expect(accepted).toBe(false);
    }
  });
});

describe('verification of a webhook', () => {
  const vector = vectors.find(({ title }) => title === 'POST with query and form') as SignatureVector;
  const { nonce, signature, form } = vector;
  const request = { ...vector, headers: headersOf(nonce, signature) };
  const verifyWith = (headers: SignedRequest['headers']) => verifyV3({ ...vector, headers }, authToken);
  const withNonce = (headers: SignedRequest['headers']) => ({ 'x-plivo-signature-v3-nonce': nonce, ...headers });

  test('does not depend on the order of the fields or the case of the method', () => {
    expect(verifyV3({ ...request, form: form.toReversed(), method: 'post' }, authToken)).toBe(true);
  });

  test('ignores the fragment, which the carrier keeps to itself', () => {
    expect(verifyV3({ ...request, url: `${vector.url}#ct=2000&rt=5000` }, authToken)).toBe(true);
  });

  test('accepts the right one of several signatures', () => {
    expect(verifyWith(withNonce({ 'x-plivo-signature-v3': `old=, ${signature} ,other=` }))).toBe(true);
    expect(verifyWith(withNonce({ 'x-plivo-signature-v3': ['old=', signature] }))).toBe(true);
    expect(verifyWith(withNonce({ 'x-plivo-signature-v3': 'old=,other=' }))).toBe(false);
  });

  test("accepts the main account's signature", () => {
    expect(verifyWith(withNonce({ 'x-plivo-signature-ma-v3': signature }))).toBe(true);
    expect(verifyWith(withNonce({ 'x-plivo-signature-ma-v3': signature, 'x-plivo-signature-v3': 'sub=' }))).toBe(true);
  });

  test('refuses empty and missing headers, nonce and token', () => {
    expect(verifyWith({})).toBe(false);
    expect(verifyWith(withNonce({}))).toBe(false);
    expect(verifyWith(withNonce({ 'x-plivo-signature-v3': '' }))).toBe(false);
    expect(verifyWith(withNonce({ 'x-plivo-signature-v3': ',,' }))).toBe(false);
    expect(verifyWith({ 'x-plivo-signature-v3': signature })).toBe(false);
    const unsigned = { method: 'POST', url: vector.url, form };
    const emptyNonce = headersOf('', signV3(unsigned, '', authToken));
    expect(verifyV3({ ...unsigned, headers: emptyNonce }, authToken)).toBe(false);
    const emptyToken = headersOf(nonce, signV3(unsigned, nonce, ''));
    expect(verifyV3({ ...unsigned, headers: emptyToken }, '')).toBe(false);
  });

  test('refuses a field that was added, dropped or given twice', () => {
    expect(verifyV3({ ...request, form: [...form, ['Extra', '']] }, authToken)).toBe(false);
    expect(verifyV3({ ...request, form: form.slice(1) }, authToken)).toBe(false);
    expect(verifyV3({ ...request, form: [...form, form[0] ?? ['', '']] }, authToken)).toBe(false);
    expect(verifyV3({ ...request, method: 'GET' }, authToken)).toBe(false);
  });

  test('refuses the older signature, which does not cover the parameters', () => {
    expect(verifyWith({ 'x-plivo-signature-v2': signature, 'x-plivo-signature-v2-nonce': nonce })).toBe(false);
  });

  test('accepts what we sign ourselves, each time with a fresh nonce', () => {
    const content = { method: 'POST', url: 'https://a.dev/answer?x=1', form: [['CallUUID', 'abc']] as const };
    const headers = signatureHeaders(content, authToken);
    expect(verifyV3({ ...content, headers }, authToken)).toBe(true);
    expect(signatureHeaders(content, authToken)).not.toEqual(headers);
  });
});

describe('verification of an upgrade', () => {
  test('accepts an address that is signed without its query', () => {
    const { 'x-plivo-signature-v3': signature } = upgradeSignatureHeaders('wss://a.dev/ws', authToken, 'n');
    const verify = (url: string) => verifyUpgradeV3({ url, headers: headersOf('n', signature) }, authToken);
    expect(verify('wss://a.dev/ws?token=4f1c9e')).toBe(true);
    expect(verify('wss://a.dev/ws2?token=4f1c9e')).toBe(false);
  });

  test('refuses an address of another scheme', () => {
    const headers = upgradeSignatureHeaders('wss://a.dev/ws', authToken);
    for (const scheme of ['ftp', 'wsz', 'WSS', 'w', '']) {
      expect(verifyUpgradeV3({ url: `${scheme}://a.dev/ws`, headers }, authToken)).toBe(false);
    }
  });

  test.each(['https', 'wss', 'ws'])('accepts a stream signed over %s', (scheme) => {
    const content = { method: 'GET', url: `${scheme}://a.dev/ws/1`, form: [] };
    expect(verifyUpgradeV3({ url: 'wss://a.dev/ws/1', headers: signatureHeaders(content, authToken) }, authToken)).toBe(
      true,
    );
  });

  test('refuses an upgrade without signature', () => {
    expect(verifyUpgradeV3({ url: 'wss://a.dev/ws/1', headers: {} }, authToken)).toBe(false);
  });
});
