import twilio from 'twilio';
import type { SignedRequest } from '../../../src/providers/carrier.js';
import {
  signatureHeaders,
  trialWebhook,
  twilioSignature,
  verifyTwilio,
  verifyTwilioUpgrade,
} from '../../../src/providers/twilio/signature.js';
import { describeChanges, isAcceptedByUs } from './changed-requests.js';
import { AUTH_TOKEN, isAcceptedByVendor, VECTORS } from './signature-vectors.js';

test('there are vectors enough', () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(44);
  expect(new Set(VECTORS.map(({ title }) => title)).size).toBe(VECTORS.length);
});

test.each(VECTORS)("$title: the vendor's package accepts what we sign, and we what it signs", (vector) => {
  expect(isAcceptedByUs(vector)).toBe(true);
  expect(isAcceptedByVendor(vector)).toBe(true);
  const signature = twilioSignature(vector.url, vector.form, AUTH_TOKEN);
  expect(isAcceptedByVendor({ ...vector, signature })).toBe(true);
  expect(isAcceptedByUs({ ...vector, signature })).toBe(true);
});

describeChanges(VECTORS, { bitsOf: (at) => [at % 8], asksVendor: true });

describe('a webhook', () => {
  const url = 'https://a.example.dev/answer?x=1';
  const form = [
    ['CallSid', 'CA5d41402abc4b2a76b9719d911017c592'],
    ['To', '+12025550100'],
  ] as const;
  const body = Buffer.from('CallSid=CA5d41402abc4b2a76b9719d911017c592&To=%2B12025550100');
  const headers = signatureHeaders(url, form, AUTH_TOKEN);
  const verify = (change: Partial<SignedRequest>, token = AUTH_TOKEN) =>
    verifyTwilio({ url, form, body, headers, ...change }, token);

  test('is refused with a field added, dropped or given twice, and in any order accepted', () => {
    expect(verify({ form: form.toReversed() })).toBe(true);
    expect(verify({ form: [...form, ['Extra', '']] })).toBe(false);
    expect(verify({ form: form.slice(1) })).toBe(false);
    expect(verify({ form: [...form, ['To', '+12025550199']] })).toBe(false);
    expect(verify({ form: [] })).toBe(false);
  });

  test('is refused without a signature, with a header that is none, and with an empty token', () => {
    for (const given of [
      undefined,
      '',
      ' ',
      `${headers['x-twilio-signature']} `,
      `x, ${headers['x-twilio-signature']}`,
    ]) {
      expect(verify({ headers: { 'x-twilio-signature': given } })).toBe(false);
    }
    expect(verify({ headers: { 'x-twilio-signature': [headers['x-twilio-signature']] } })).toBe(false);
    expect(verify({ headers: signatureHeaders(url, form, '') }, '')).toBe(false);
  });

  test('is refused at an address of another host, path or scheme, or that is none', () => {
    for (const other of [
      'https://b.example.dev/answer?x=1',
      'https://a.example.dev/answer',
      'http://a.example.dev/answer?x=1',
      '',
      '/answer?x=1',
    ]) {
      expect(verify({ url: other })).toBe(false);
      expect(verify({ url: other, headers: signatureHeaders('', form, AUTH_TOKEN) })).toBe(false);
    }
  });

  test('is refused with a body that nothing covers', () => {
    const signed = signatureHeaders(url, [], AUTH_TOKEN);
    expect(verify({ form: [], body: Buffer.alloc(0), headers: signed })).toBe(true);
    expect(verify({ form: [], body: Buffer.from('{}'), headers: signed })).toBe(false);
    const hashed = `${url}&bodySHA256=`;
    for (const body of ['', '{}']) {
      expect(
        verify({ url: hashed, form: [], body: Buffer.from(body), headers: signatureHeaders(hashed, [], AUTH_TOKEN) }),
      ).toBe(false);
    }
  });
});

describe('an upgrade', () => {
  const url = 'wss://a.example.dev/ws/1/pass';
  const verify = (signed: string, at = url) =>
    verifyTwilioUpgrade({ url: at, headers: signatureHeaders(signed, [], AUTH_TOKEN) }, AUTH_TOKEN);

  test('may be signed with a slash at its end, and with or without the default port', () => {
    expect(verify(url)).toBe(true);
    expect(verify(`${url}/`)).toBe(true);
    expect(verify(url.replace('.dev', '.dev:443'))).toBe(true);
    expect(verify(url, url.replace('.dev', '.dev:443'))).toBe(true);
  });

  test.each(['https', 'http', 'ws'])('is refused when it is signed over %s', (scheme) => {
    expect(verify(url.replace('wss', scheme))).toBe(false);
  });

  test('is refused without a signature', () => {
    expect(verifyTwilioUpgrade({ url, headers: {} }, AUTH_TOKEN)).toBe(false);
  });
});

test('a trial is genuine, and about a call that there is not', () => {
  const url = 'https://a.example.dev/stream-status';
  const { headers, body } = trialWebhook(url, { authToken: AUTH_TOKEN });
  const form = [...new URLSearchParams(body.toString())];
  expect(form).toEqual([['CallSid', expect.stringMatching(/^CA[0-9a-f]{32}$/)]]);
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(twilio.validateRequest(AUTH_TOKEN, headers['x-twilio-signature'] ?? '', url, Object.fromEntries(form))).toBe(
    true,
  );
  expect(trialWebhook(url, { authToken: AUTH_TOKEN }).body).not.toEqual(body);
});
