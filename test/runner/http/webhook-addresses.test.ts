import { WebhookAddresses, withQuery } from '../../../src/runner/http/webhook-addresses.js';

test('every address starts with the public one', () => {
  const addresses = new WebhookAddresses('https://bot.example.com');
  expect(addresses).toMatchObject({
    publicUrl: 'https://bot.example.com',
    answerUrl: 'https://bot.example.com/answer',
    resumeUrl: 'https://bot.example.com/resume',
    hangupUrl: 'https://bot.example.com/hangup',
    statusUrl: 'https://bot.example.com/stream-status',
    ringUrl: 'https://bot.example.com/ring',
    machineUrl: 'https://bot.example.com/machine',
    transferUrl: 'https://bot.example.com/transfer',
    transferStatusUrl: 'https://bot.example.com/transfer-status',
    transferEndedUrl: 'https://bot.example.com/transfer-ended',
    dialinUrl: 'https://bot.example.com/rooms-dialin-webhook',
    apologyUrl: 'https://bot.example.com/prompts/apology.wav',
  });
});

test.each([
  ['https://bot.example.com', 'wss://bot.example.com/ws'],
  ['http://127.0.0.1:7860', 'ws://127.0.0.1:7860/ws'],
  ['http://[::1]:7860', 'ws://[::1]:7860/ws'],
  ['https://http.example.com', 'wss://http.example.com/ws'],
])('the streams of a runner at %s are at %s', (publicUrl, expected) => {
  expect(new WebhookAddresses(publicUrl).streamUrl).toBe(expected);
});

test('nothing in a parameter can change the address it is added to', () => {
  const url = new URL(withQuery('https://bot.example.com/answer', { call_id: 'a&token=b#c/../d', token: 'good' }));
  expect(url.pathname).toBe('/answer');
  expect([...url.searchParams]).toEqual([
    ['call_id', 'a&token=b#c/../d'],
    ['token', 'good'],
  ]);
});

test('an address without parameters has no question mark', () => {
  expect(withQuery('https://bot.example.com/answer', {})).toBe('https://bot.example.com/answer');
});

test('a request is signed byte for byte as it came', () => {
  const addresses = new WebhookAddresses('https://bot.example.com');
  expect(addresses.of('/answer?b=%20&a=+')).toEqual(['https://bot.example.com/answer?b=%20&a=+']);
});

test('after a move everything starts with the new address, and what was signed for the old one is known', () => {
  const addresses = new WebhookAddresses('https://one.example.com');
  addresses.moveTo('https://two.example.com');
  expect(addresses.answerUrl).toBe('https://two.example.com/answer');
  expect(addresses.of('/hangup')).toEqual(['https://two.example.com/hangup', 'https://one.example.com/hangup']);
  addresses.moveTo('https://one.example.com');
  expect(addresses.of('/hangup')).toEqual(['https://one.example.com/hangup', 'https://two.example.com/hangup']);
});

test('of many former addresses the latest twenty are known', () => {
  const addresses = new WebhookAddresses('https://0.example.com');
  for (let n = 1; n <= 30; n += 1) addresses.moveTo(`https://${n}.example.com`);
  expect(addresses.of('')).toHaveLength(21);
  expect(addresses.of('').at(-1)).toBe('https://10.example.com');
});
