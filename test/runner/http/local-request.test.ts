import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { isLocalRequest } from '../../../src/runner/http/local-request.js';

const request = (remoteAddress: string | undefined, headers: IncomingHttpHeaders, url = '/start') => {
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
  return isLocalRequest({ socket: { remoteAddress }, headers, rawHeaders, url } as IncomingMessage);
};

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
  ['::ffff:128.0.0.1', 'localhost'],
  ['fe80::1', 'localhost'],
  ['fe80::1%lo', 'localhost'],
  ['::2', 'localhost'],
  [undefined, 'localhost'],
  ['127.0.0.1', 'bot.example.com'],
  ['127.0.0.1', 'localhost.example.com'],
  ['127.0.0.1', 'sub.localhost'],
  ['127.0.0.1', 'brave-owl-12.localhost:7860'],
  ['127.0.0.1', 'localhost.'],
  ['127.0.0.1', '[::1%lo]'],
  ['127.0.0.1', '127.1'],
  ['127.0.0.1', '0.0.0.0'],
  ['127.0.0.1', '127.0.0.1.example.com:7860'],
  ['127.0.0.1', 'localhost:7860.example.com'],
  ['127.0.0.1', 'localhost:7860@example.com'],
  ['127.0.0.1', ''],
  ['127.0.0.1', undefined],
])('a peer at %s that asks for %s is not', (address, host) => {
  expect(request(address, { host })).toBe(false);
});

test.each([
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-original-host',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-ray',
  'fly-client-ip',
  'fly-forwarded-port',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-amzn-trace-id',
  'x-google-apps-metadata',
  'x-some-gateway-of-tomorrow',
  'cdn-loop',
  'cdn-real-ip',
  'fastly-client-ip',
  'incap-client-ip',
  'wl-proxy-client-ip',
  'proxy-client-ip',
  'client-ip',
  'remote-addr',
  'tailscale-user-login',
  'ngrok-skip-browser-warning',
  'early-data',
])('a request with %s was forwarded', (name) => {
  expect(request('127.0.0.1', { host: 'localhost', [name]: '127.0.0.1' })).toBe(false);
  expect(request('127.0.0.1', { host: 'localhost', [name]: '' })).toBe(false);
});

test.each([
  'accept',
  'authorization',
  'content-type',
  'idempotency-key',
  'traceparent',
  'x-b3-traceid',
  'x-datadog-trace-id',
  'x-prometheus-scrape-timeout-seconds',
  'x-requested-with',
  'x-voicebot-peer',
])('a request with %s was not forwarded for that', (name) => {
  expect(request('127.0.0.1', { host: 'localhost', [name]: '1' })).toBe(true);
});

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

test.each([
  ['none', true],
  ['same-origin', true],
  ['same-site', true],
  ['cross-site', false],
  ['', false],
  ['none, cross-site', false],
])('what a browser calls %j is local: %s', (site, isLocal) => {
  expect(request('127.0.0.1', { host: 'localhost', 'sec-fetch-site': site })).toBe(isLocal);
});

test.each(['http://bot.example.com/start', 'http://localhost/start', '*', ''])(
  'a request whose target is %j is not local',
  (target) => {
    expect(request('127.0.0.1', { host: 'localhost' }, target)).toBe(false);
  },
);

describe('over a real socket', () => {
  const isLocal = async (...lines: string[]) => {
    const server = createServer((incoming, response) => {
      response.setHeader('connection', 'close').end(`local: ${isLocalRequest(incoming)}`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const answer = await text(socket);
    server.close();
    return answer.split('\r\n').at(-1) || answer;
  };

  test.each([
    ['a plain request', ['GET / HTTP/1.1', 'Host: localhost'], 'local: true'],
    ['the name of a tunnel', ['GET / HTTP/1.1', 'Host: bot.example.com'], 'local: false'],
    ['two names', ['GET / HTTP/1.1', 'Host: localhost', 'Host: bot.example.com'], 'local: false'],
    ['two names in the other order', ['GET / HTTP/1.1', 'Host: bot.example.com', 'HOST: localhost'], 'local: false'],
    ['a name in the target', ['GET http://bot.example.com/ HTTP/1.1', 'Host: localhost'], 'local: false'],
    ['HTTP/1.0 without a name', ['GET / HTTP/1.0'], 'local: false'],
    ['HTTP/1.0 with one', ['GET / HTTP/1.0', 'Host: localhost'], 'local: true'],
  ])('%s', async (_what, lines, expected) => {
    expect(await isLocal(...lines)).toContain(expected);
  });
});
