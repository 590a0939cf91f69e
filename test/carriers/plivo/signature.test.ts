import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SignedRequest } from '../../../src/carriers/contract.js';
import {
  signatureHeaders,
  signV3,
  upgradeSignatureHeaders,
  verifyUpgradeV3,
  verifyV3,
} from '../../../src/carriers/plivo/signature.js';

interface Vectors {
  authToken: string;
  requests: {
    title: string;
    method: string;
    url: string;
    form: [string, string][];
    nonce: string;
    signature: string;
  }[];
  upgrades: { title: string; url: string; nonce: string; signature: string; signatureWithoutQuery?: string }[];
}

/** Computed by `signatures.py` beside the file. */
const { authToken, requests, upgrades }: Vectors = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../fixtures/plivo/signatures.json'), 'utf8'),
);

const headersOf = (nonce: string, signature: string) => ({
  'x-plivo-signature-v3': signature,
  'x-plivo-signature-v3-nonce': nonce,
});

function signedRequest({ method, url, form, nonce, signature }: Vectors['requests'][number]): SignedRequest {
  return { method, url, form, headers: headersOf(nonce, signature) };
}

/** Every text that differs from `text` in one byte, by its lowest or its second bit. */
function* oneByteOff(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += 1) {
    for (const bit of [1, 2]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(at) ^ bit, at);
      yield changed.toString('latin1');
    }
  }
}

describe.each(requests)('$title', (vector) => {
  const request = signedRequest(vector);
  const { method, url, form, nonce, signature } = vector;

  test('is accepted', () => {
    expect(verifyV3(request, authToken)).toBe(true);
    expect(signV3({ method, url, form }, nonce, authToken)).toBe(signature);
  });

  test('is refused when one byte of its address changes', () => {
    for (const changed of oneByteOff(url))
      expect([changed, verifyV3({ ...request, url: changed }, authToken)]).toEqual([changed, false]);
  });

  test('is refused when one byte of its form changes', () => {
    form.forEach(([name, value], at) => {
      const changedFields = [
        ...[...oneByteOff(name)].map((changed) => [changed, value] as const),
        ...[...oneByteOff(value)].map((changed) => [name, changed] as const),
      ];
      for (const field of changedFields)
        expect(verifyV3({ ...request, form: form.with(at, [...field]) }, authToken)).toBe(false);
    });
  });

  test('is refused when one byte of its nonce, its signature or the token changes', () => {
    for (const changed of oneByteOff(nonce)) {
      expect(verifyV3({ ...request, headers: headersOf(changed, signature) }, authToken)).toBe(false);
    }
    for (const changed of oneByteOff(signature)) {
      expect(verifyV3({ ...request, headers: headersOf(nonce, changed) }, authToken)).toBe(false);
    }
    for (const changed of oneByteOff(authToken)) expect(verifyV3(request, changed)).toBe(false);
  });
});

describe('verification of a webhook', () => {
  const vector = requests.find(({ title }) => title === 'POST with query and form') as Vectors['requests'][number];
  const { nonce, signature, form } = vector;
  const verifyWith = (headers: SignedRequest['headers']) => verifyV3({ ...signedRequest(vector), headers }, authToken);
  const withNonce = (headers: SignedRequest['headers']) => ({ 'x-plivo-signature-v3-nonce': nonce, ...headers });

  test('does not depend on the order of the fields or the case of the method', () => {
    const request = { ...signedRequest(vector), form: form.toReversed(), method: 'post' };
    expect(verifyV3(request, authToken)).toBe(true);
  });

  test('ignores the fragment, which the carrier keeps to itself', () => {
    expect(verifyV3({ ...signedRequest(vector), url: `${vector.url}#ct=2000&rt=5000` }, authToken)).toBe(true);
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
    const request = signedRequest(vector);
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
  test.each(upgrades)('accepts a stream signed as the carrier does it: $title', (vector) => {
    const { url, nonce, signature, signatureWithoutQuery } = vector;
    expect(verifyUpgradeV3({ url, headers: headersOf(nonce, signature) }, authToken)).toBe(true);
    expect(upgradeSignatureHeaders(url, authToken, nonce)['x-plivo-signature-v3']).toBe(signature);
    if (signatureWithoutQuery) {
      expect(verifyUpgradeV3({ url, headers: headersOf(nonce, signatureWithoutQuery) }, authToken)).toBe(true);
    }
  });

  test.each(['https', 'wss', 'ws'])('accepts a stream signed over %s', (scheme) => {
    const content = { method: 'GET', url: `${scheme}://a.dev/ws/1`, form: [] };
    expect(verifyUpgradeV3({ url: 'wss://a.dev/ws/1', headers: signatureHeaders(content, authToken) }, authToken)).toBe(
      true,
    );
  });

  test.each(upgrades)('is refused when one byte of address, nonce or signature changes: $title', (vector) => {
    const { url, nonce, signature } = vector;
    // A change of the scheme is not covered by the signature, and needs not be.
    const schemeEnd = url.indexOf(':') + 1;
    for (const changed of oneByteOff(url.slice(schemeEnd))) {
      const address = url.slice(0, schemeEnd) + changed;
      expect(verifyUpgradeV3({ url: address, headers: headersOf(nonce, signature) }, authToken)).toBe(false);
    }
    for (const changed of oneByteOff(nonce)) {
      expect(verifyUpgradeV3({ url, headers: headersOf(changed, signature) }, authToken)).toBe(false);
    }
    for (const changed of oneByteOff(signature)) {
      expect(verifyUpgradeV3({ url, headers: headersOf(nonce, changed) }, authToken)).toBe(false);
    }
  });

  test('refuses an upgrade without signature', () => {
    expect(verifyUpgradeV3({ url: 'wss://a.dev/ws/1', headers: {} }, authToken)).toBe(false);
  });
});
