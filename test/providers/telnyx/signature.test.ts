import { generateKeyPairSync, sign } from 'node:crypto';
import { TelnyxWebhook } from 'telnyx/lib/webhooks';
import {
  makeSigningKeys,
  nonceOf,
  signatureHeaders,
  verifySignature,
} from '../../../src/providers/telnyx/signature.js';

const NOW_MS = Date.now();
const { privateKey, publicKey } = makeSigningKeys();
const BODIES: readonly string[] = [
  '',
  'CallSid=v3%3Aabc&CallStatus=ringing&From=%2B12025550142&To=%2B12025550100',
  'CallStatus=ringing&CallSid=v3%3Aabc',
  'CallerName=Zo%C3%AB+M%C3%BCller',
  'CallerName=Zoë Müller 山田 📞',
  'Digits=1&Digits=2&Digits=',
  'a=|b|1700000000',
  '{"data":{"event_type":"call.hangup","payload":{"from":"+12025550142"}}}',
  '{"data":{"text":"line\\r\\nbreaks\\tand <markup> & \\"quotes\\""}}',
  'x'.repeat(20_000),
  ' leading and trailing ',
  '\r\n',
];
/** Seconds from now, all within what is taken. */
const AGES_S = [0, -1, -290, 290];

const headersAt = (body: string, ageS: number) =>
  signatureHeaders(Buffer.from(body), privateKey, NOW_MS + ageS * 1_000);
const isOurs = (body: string | Buffer, headers: Record<string, string>, nowMs = NOW_MS, key = publicKey) =>
  verifySignature({ body: Buffer.from(body), headers }, { publicKey: key }, nowMs);
const isTheirs = (body: string, headers: Record<string, string>) =>
  new TelnyxWebhook(publicKey).verify(body, headers).then(
    () => true,
    () => false,
  );

/** Signed by nothing of ours. */
function independent(body: string, ageS: number) {
  const timestamp = String(Math.floor(NOW_MS / 1_000) + ageS);
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64');
  return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature };
}

const VECTORS = BODIES.flatMap((body) => AGES_S.map((ageS) => [body, ageS] as const));

test('there are vectors enough', () => {
  expect(VECTORS.length).toBeGreaterThanOrEqual(44);
});

test("the vendor's package accepts what the sandbox signs", async () => {
  for (const [body, ageS] of VECTORS)
    expect([body.slice(0, 40), ageS, await isTheirs(body, headersAt(body, ageS))]).toEqual([
      body.slice(0, 40),
      ageS,
      true,
    ]);
});

test("our check accepts what the vendor's package accepts", async () => {
  for (const [body, ageS] of VECTORS) {
    const headers = independent(body, ageS);
    expect([await isTheirs(body, headers), isOurs(body, headers)]).toEqual([true, true]);
  }
});

test('each change of a single byte of body, time and signature is refused', () => {
  for (const [body, ageS] of VECTORS.filter(([{ length }]) => length < 200)) {
    const headers = headersAt(body, ageS);
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(isOurs(changed, headers)).toBe(false);
    }
    for (const name of Object.keys(headers) as Array<keyof typeof headers>) {
      const value = headers[name];
      for (let at = 0; at < value.length; at += 1) {
        const other = String.fromCharCode(value.charCodeAt(at) ^ 1);
        const changed = { ...headers, [name]: value.slice(0, at) + other + value.slice(at + 1) };
        expect([name, at, isOurs(body, changed)]).toEqual([name, at, false]);
      }
    }
  }
});

test('a request that is older than five minutes, or that far ahead, is refused', () => {
  const headers = headersAt('a=1', 0);
  const taken = [-301, -300, 0, 300, 301].map((ageS) => isOurs('a=1', headers, NOW_MS + ageS * 1_000));
  expect(taken).toEqual([false, true, true, true, false]);
});

test.each([
  ['another key', makeSigningKeys().publicKey],
  ['no key', ''],
  ['half a key', publicKey.slice(0, 20)],
  ['a key in PEM', String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }))],
])('%s accepts nothing', (_, key) => {
  expect(isOurs('a=1', headersAt('a=1', 0), NOW_MS, key)).toBe(false);
});

test('a signature has one spelling, and makes the nonce of its request', () => {
  const headers = headersAt('a=1', 0);
  const signature = headers['telnyx-signature-ed25519'];
  expect(nonceOf(headers)).toContain(signature);
  for (const other of [
    `${signature} `,
    signature.replace(/=+$/, ''),
    `${signature}=`,
    signature.replace(/.==$/, '_=='),
  ])
    expect(isOurs('a=1', { ...headers, 'telnyx-signature-ed25519': other })).toBe(false);
  for (const missing of Object.keys(headers)) {
    const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing));
    expect([isOurs('a=1', rest), nonceOf(rest)]).toEqual([false, undefined]);
  }
});
