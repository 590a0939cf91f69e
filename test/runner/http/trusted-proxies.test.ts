import type { IncomingMessage } from 'node:http';
import { TrustedProxies } from '../../../src/runner/http/trusted-proxies.js';

const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48', '::1']);

test.each(['127.0.0.1', '::ffff:127.0.0.1', '10.255.0.1', '::FFFF:10.0.0.7', '2001:db8:1:2::3', '::1'])(
  '%s is one of ours',
  (address) => expect(proxies.includes(address)).toBe(true),
);

test.each([
  '127.0.0.2',
  '11.0.0.1',
  '::ffff:11.0.0.1',
  '2001:db8:2::1',
  '::2',
  '',
  'unknown',
  'localhost',
  '127.0.0.1, 10.0.0.1',
])('%j is not', (address) => expect(proxies.includes(address)).toBe(false));

test('without a list nobody is', () => {
  expect(new TrustedProxies().includes('127.0.0.1')).toBe(false);
});

const clientOf = (remoteAddress: string | undefined, forwarded?: string) =>
  proxies.clientOf({
    socket: { remoteAddress },
    headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
  } as unknown as IncomingMessage);

test.each([
  ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['127.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'], // the first one the client wrote itself
  ['127.0.0.1', '203.0.113.7, 10.1.2.3', '203.0.113.7'], // two proxies of ours
  ['127.0.0.1', '10.1.2.3', '10.1.2.3'], // somebody in our own network
  ['::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['::1', '2001:db8:9::1', '2001:db8:9::1'],
  ['::1', '[2001:db8:9::1]:4711', '2001:db8:9::1'],
  ['127.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
])('a proxy at %s that says "%s" speaks for %s', (peer, forwarded, client) => {
  expect(clientOf(peer, forwarded)).toBe(client);
});

test.each([
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'], // no proxy of ours: what it says counts for nothing
  ['::ffff:203.0.113.9', '127.0.0.1', '203.0.113.9'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '', '127.0.0.1'],
  ['127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
  ['127.0.0.1', '198.51.100.1, <script>', '127.0.0.1'],
  [undefined, '198.51.100.1', ''],
])('%s that says "%s" is %s itself', (peer, forwarded, client) => {
  expect(clientOf(peer, forwarded)).toBe(client);
});
