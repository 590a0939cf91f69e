import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { RunnerAccess } from '../../../src/runner/http/access.js';
import { TrustedProxies } from '../../../src/runner/http/trusted-proxies.js';

const TOKEN = 'a-token-of-enough-characters';

function allows(headers: IncomingHttpHeaders, remoteAddress = '203.0.113.7'): boolean {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
  const request = { socket: { remoteAddress }, headers, rawHeaders, url: '/start' } as unknown as IncomingMessage;
  return new RunnerAccess(TOKEN).allows(request);
}

test('lets programs on this machine in without a token', () => {
  expect(allows({ host: 'localhost:7860' }, '127.0.0.1')).toBe(true);
});

test('asks programs on this machine for the token where that is wanted, but for health checks', () => {
  const access = new RunnerAccess(TOKEN, undefined, false);
  const requestOf = (headers: IncomingHttpHeaders) =>
    ({ socket: { remoteAddress: '127.0.0.1' }, headers, rawHeaders: ['Host', headers.host], url: '/' }) as unknown;
  const bare = requestOf({ host: 'localhost:7860' }) as IncomingMessage;
  expect([access.allows(bare), access.allowsProbe(bare), access.isLocal(bare)]).toEqual([false, true, true]);
  const shown = requestOf({ host: 'localhost:7860', authorization: `Bearer ${TOKEN}` }) as IncomingMessage;
  expect([access.allows(shown), access.allowsProbe(shown)]).toEqual([true, true]);
});

test.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${TOKEN}`])('lets in whoever sends %j', (authorization) => {
  expect(allows({ host: 'bot.example.com', authorization })).toBe(true);
});

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  TOKEN,
  `Basic ${TOKEN}`,
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN.slice(0, -1)}`,
  `Bearer ${TOKEN} ${TOKEN}`,
  `Bearer x${TOKEN}`,
  `Bearer ${TOKEN.toUpperCase()}`,
  `Bearer ${'x'.repeat(10_000)}`,
])('keeps out whoever sends %j', (authorization) => {
  expect(allows({ host: 'bot.example.com', ...(authorization !== undefined && { authorization }) })).toBe(false);
});

test.each([
  { host: 'bot.example.com' },
  { host: 'localhost', 'x-forwarded-for': '203.0.113.7' },
  { host: 'localhost', origin: 'https://evil.example.com' },
  { host: 'localhost', origin: 'null' },
  { host: 'localhost', 'sec-fetch-site': 'cross-site' },
])('keeps out what only arrives over loopback: %j', (headers) => {
  expect(allows(headers, '127.0.0.1')).toBe(false);
});

test('no token at all lets nobody in from outside', () => {
  const headers = { host: 'bot.example.com', authorization: 'Bearer ' };
  const request = { socket: { remoteAddress: '203.0.113.7' }, headers, rawHeaders: [], url: '/' };
  expect(new RunnerAccess('').allows(request as unknown as IncomingMessage)).toBe(false);
});

test('another runner of the cluster asks for somebody whom it has let in', () => {
  const request = (name: string) =>
    ({
      socket: { remoteAddress: '10.0.0.8' },
      headers: { [name]: 'signed' },
      rawHeaders: [],
      url: '/calls/x/events',
    }) as unknown as IncomingMessage;
  const access = new RunnerAccess(TOKEN, undefined, true, {
    isFromPeer: ({ headers }) => headers['x-peer'] === 'signed',
  });
  expect(access.allows(request('x-peer'))).toBe(true);
  expect(access.allows(request('x-other'))).toBe(false);
  expect(access.allowsProbe(request('x-peer'))).toBe(false);
});

test('what a reverse proxy sends is never local, whatever it looks like', () => {
  const headers = { host: '127.0.0.1:7860' };
  const request = { socket: { remoteAddress: '127.0.0.1' }, headers, rawHeaders: ['Host', headers.host], url: '/' };
  const allowsBehind = (networks: readonly string[], authorization?: string) =>
    new RunnerAccess(TOKEN, new TrustedProxies(networks)).allows({
      ...request,
      headers: { ...headers, authorization },
    } as unknown as IncomingMessage);
  expect(allowsBehind([])).toBe(true);
  expect(allowsBehind(['10.0.0.0/8'])).toBe(true);
  expect(allowsBehind(['127.0.0.1'])).toBe(false);
  expect(allowsBehind(['127.0.0.1'], `Bearer ${TOKEN}`)).toBe(true);
});
