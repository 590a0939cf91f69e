import { WebhookAddresses } from '../../src/runner/webhook-addresses.js';

test('every address starts with the public one', () => {
  const addresses = new WebhookAddresses('https://bot.example.com');
  expect({ ...addresses }).toEqual({
    publicUrl: 'https://bot.example.com',
    answerUrl: 'https://bot.example.com/answer',
    resumeUrl: 'https://bot.example.com/resume',
    hangupUrl: 'https://bot.example.com/hangup',
    statusUrl: 'https://bot.example.com/stream-status',
    apologyUrl: 'https://bot.example.com/prompts/apology.wav',
  });
});

test.each([
  ['https://bot.example.com', 'wss://bot.example.com/ws?call_id=a-1&token=t_2'],
  ['http://127.0.0.1:7860', 'ws://127.0.0.1:7860/ws?call_id=a-1&token=t_2'],
  ['http://[::1]:7860', 'ws://[::1]:7860/ws?call_id=a-1&token=t_2'],
  ['https://http.example.com', 'wss://http.example.com/ws?call_id=a-1&token=t_2'],
])('the stream of a runner at %s is at %s', (publicUrl, expected) => {
  expect(new WebhookAddresses(publicUrl).streamUrl('a-1', 't_2')).toBe(expected);
});

test('nothing in a call identifier can change the address of its stream', () => {
  const url = new URL(new WebhookAddresses('https://bot.example.com').streamUrl('a&token=b#c/../d', 'good'));
  expect(url.pathname).toBe('/ws');
  expect([...url.searchParams]).toEqual([
    ['call_id', 'a&token=b#c/../d'],
    ['token', 'good'],
  ]);
});

test('a request is signed byte for byte as it came', () => {
  const addresses = new WebhookAddresses('https://bot.example.com');
  expect(addresses.of('/answer?b=%20&a=+')).toBe('https://bot.example.com/answer?b=%20&a=+');
});
