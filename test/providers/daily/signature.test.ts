import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { verifyWebhook, webhookDigest } from '../../../src/providers/daily/signature.js';

/** The test vector of rooms reference 4.3. */
const secret = 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const timestamp = '1767225600000';
const body = Buffer.from(
  '{"From":"+15550100001","To":"+15550100002","callId":"11111111-1111-4111-8111-111111111111","callDomain":"22222222-2222-4222-8222-222222222222"}',
);
const base64 = 'aG+zL0cUZYHr1jGR4EClN5Ql6sC0RP92kB2UfNdcq0Q=';
const hex = '686fb32f47146581ebd63191e040a5379425eac0b444ff76901d947cd75cab44';
const now = Number(timestamp);

const headersOf = (signature?: string | string[], time?: string | string[]) => ({
  ...(signature !== undefined && { 'x-pinless-signature': signature }),
  ...(time !== undefined && { 'x-pinless-timestamp': time }),
});

test('signs as the provider does', () => {
  expect(webhookDigest(secret, timestamp, body).toString('base64')).toBe(base64);
});

/** base64 with the alphabet for addresses. */
const base64url = base64.replaceAll('+', '-').replaceAll('/', '_');

test.each([base64, base64.slice(0, -1), base64url, base64url.slice(0, -1), hex, hex.toUpperCase()])(
  'takes the signature %s',
  (signature) => {
    expect(verifyWebhook({ headers: headersOf(signature, timestamp), body }, secret, now)).toBe(true);
  },
);

test.each([-300_000, -1, 0, 1, 300_000])('takes a signature that is %d ms old', (ageMs) => {
  expect(verifyWebhook({ headers: headersOf(base64, timestamp), body }, secret, now + ageMs)).toBe(true);
});

test.each([-300_001, 300_001, 86_400_000, -86_400_000])('refuses a signature that is %d ms old', (ageMs) => {
  expect(verifyWebhook({ headers: headersOf(base64, timestamp), body }, secret, now + ageMs)).toBe(false);
});

test('takes timestamps in seconds as well, with the same window', () => {
  const seconds = '1767225600';
  const signature = webhookDigest(secret, seconds, body).toString('base64');
  const headers = headersOf(signature, seconds);
  expect(verifyWebhook({ headers, body }, secret, now)).toBe(true);
  expect(verifyWebhook({ headers, body }, secret, now + 300_001)).toBe(false);
});

test.each<[string, string | string[] | undefined, string | string[] | undefined]>([
  ['without a signature', undefined, timestamp],
  ['without a timestamp', base64, undefined],
  ['without either', undefined, undefined],
  ['with an empty signature', '', timestamp],
  ['with an empty timestamp', base64, ''],
  ['with two signatures', `${base64}, ${base64}`, timestamp],
  ['with a list of signatures', [base64], timestamp],
  ['with two timestamps', base64, `${timestamp}, ${timestamp}`],
  ['with a list of timestamps', base64, [timestamp]],
  ['with a cut signature', base64.slice(0, -2), timestamp],
  ['with a cut signature of the other alphabet', base64url.slice(0, -2), timestamp],
  ['with padding inside the signature', `${base64.slice(0, 20)}=${base64.slice(20, -1)}`, timestamp],
  ['with padding that is escaped', base64.replace('=', '%3D'), timestamp],
  ['with the name of the hash before it', `sha256=${hex}`, timestamp],
  ['with the name of the hash before base64', `sha256=${base64}`, timestamp],
  ['with a timestamp as a date', base64, '2026-01-01T00:00:00.000Z'],
  ['with a cut hexadecimal signature', hex.slice(0, -2), timestamp],
  ['with more after the signature', `${base64}=`, timestamp],
  ['with blanks around the signature', ` ${base64}`, timestamp],
  ['with another last digit of the same bytes', base64.replace('0Q=', '0R='), timestamp],
  ['with another last digit of the same bytes, and no padding', base64url.replace('0Q=', '0R'), timestamp],
  ['with a negative timestamp', base64, `-${timestamp}`],
  ['with a fraction', base64, `${timestamp}.0`],
  ['with an exponent', base64, '1.7672256e12'],
  ['with a blank before the timestamp', base64, ` ${timestamp}`],
  ['with a timestamp of sixteen digits', base64, `${timestamp}000`],
  ['with a timestamp of another writing', base64, `0${timestamp}`],
])('refuses a request %s', (_title, signature, time) => {
  expect(verifyWebhook({ headers: headersOf(signature, time), body }, secret, now)).toBe(false);
});

test('refuses everything when there is no secret, even what is signed with nothing', () => {
  for (const none of ['', '!', '=', '\n']) {
    const signature = createHmac('sha256', '').update(`${timestamp}.`).update(body).digest('base64');
    expect(verifyWebhook({ headers: headersOf(signature, timestamp), body }, none, now)).toBe(false);
  }
});

test('refuses another secret', () => {
  const other = Buffer.from('another secret').toString('base64');
  expect(verifyWebhook({ headers: headersOf(base64, timestamp), body }, other, now)).toBe(false);
});

test('refuses a body that differs in one byte, and a timestamp that differs in one digit', () => {
  fc.assert(
    fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ change;
      return !verifyWebhook({ headers: headersOf(base64, timestamp), body: changed }, secret, now);
    }),
  );
  expect(verifyWebhook({ headers: headersOf(base64, '1767225600001'), body }, secret, now)).toBe(false);
});

test('covers the bytes of the body, not its meaning', () => {
  const spaced = Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1));
  expect(verifyWebhook({ headers: headersOf(base64, timestamp), body: spaced }, secret, now)).toBe(false);
  const binary = Buffer.from([0, 0xff, 0xc3, 0x28]);
  const signature = webhookDigest(secret, timestamp, binary).toString('base64');
  expect(verifyWebhook({ headers: headersOf(signature, timestamp), body: binary }, secret, now)).toBe(true);
});
