import { WebhookAddresses, withQuery } from '../../src/runner/webhook-addresses.js';

test('every address starts with the public one', () => {
  const addresses = new WebhookAddresses('https://bot.example.com');
  expect({ ...addresses }).toEqual({
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
  expect(addresses.of('/answer?b=%20&a=+')).toBe('https://bot.example.com/answer?b=%20&a=+');
});
