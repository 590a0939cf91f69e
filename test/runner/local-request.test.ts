import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLocalRequest } from '../../src/runner/local-request.js';

const request = (remoteAddress: string | undefined, headers: IncomingHttpHeaders) =>
  isLocalRequest({ socket: { remoteAddress }, headers } as IncomingMessage);

test.each([
  ['127.0.0.1', 'localhost:7860'],
  ['127.0.0.1', 'LOCALHOST'],
  ['127.0.0.1', '127.0.0.1:7860'],
  ['127.8.9.10', '127.8.9.10'],
  ['::1', '[::1]:7860'],
  ['::ffff:127.0.0.1', 'localhost:7860'],
])('a peer at %s that asks for %s is local', (address, host) => {
  expect(request(address, { host })).toBe(true);
});

test.each([
  ['192.168.1.7', 'localhost:7860'],
  ['203.0.113.7', '127.0.0.1'],
  ['::ffff:192.168.1.7', 'localhost'],
  ['fe80::1', 'localhost'],
  [undefined, 'localhost'],
  ['127.0.0.1', 'bot.example.com'],
  ['127.0.0.1', 'localhost.example.com'],
  ['127.0.0.1', '127.0.0.1.example.com:7860'],
  ['127.0.0.1', 'localhost:7860.example.com'],
  ['127.0.0.1', 'localhost:7860@example.com'],
  ['127.0.0.1', ''],
  ['127.0.0.1', undefined],
])('a peer at %s that asks for %s is not', (address, host) => {
  expect(request(address, { host })).toBe(false);
});

test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'cf-connecting-ip'])(
  'a request with %s was forwarded',
  (name) => {
    expect(request('127.0.0.1', { host: 'localhost', [name]: '127.0.0.1' })).toBe(false);
    expect(request('127.0.0.1', { host: 'localhost', [name]: '' })).toBe(false);
  },
);

test.each([
  ['http://localhost:7860', true],
  ['https://127.0.0.1', true],
  ['http://[::1]:3000', true],
  ['https://evil.example.com', false],
  ['http://localhost.example.com', false],
  ['null', false],
  ['', false],
  ['localhost', false],
  ['file://localhost', false],
])('a page of %j is local: %s', (origin, isLocal) => {
  expect(request('127.0.0.1', { host: 'localhost', origin })).toBe(isLocal);
});
