import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { ApplicationEvent } from '../../../src/runner/events/application-event.js';
import {
  EventsReceiver,
  type ReceiverAnswer,
  signedHeaders,
  signingKeyOf,
} from '../../../src/runner/events/events-receiver.js';
import { HandReceiver, type Reply, SECRET } from './hand-receiver.js';

const EVENT: ApplicationEvent = {
  type: 'call.transferred',
  timestamp: '2026-01-31T09:05:07.250Z',
  data: { callId: 'call-1', to: '+12025550106' },
};
const KEPT = { id: 'evt_abc-_1', event: EVENT };

async function sendTo(url: string, timeoutMs?: number): Promise<ReceiverAnswer> {
  const receiver = new EventsReceiver({ url, secret: SECRET, atOnce: 2, timeoutMs });
  try {
    return await receiver.send(KEPT);
  } finally {
    await receiver.close();
  }
}

async function answered(reply: Reply, timeoutMs?: number) {
  await using hand = await HandReceiver.listen();
  hand.reply = () => reply;
  const answer = await sendTo(hand.url, timeoutMs);
  expect(hand.forged).toEqual([]);
  return { answer, requests: hand.requests };
}

test('an event travels as a signed POST of JSON, which the package of the specification accepts', async () => {
  const { answer, requests } = await answered(204);
  expect(answer).toEqual({ is: 'accepted' });
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/hooks/calls?tenant=7',
    headers: { 'content-type': 'application/json', 'user-agent': 'voicebot', 'webhook-id': 'evt_abc-_1' },
    event: EVENT,
  });
});

test('a signature is that of the package, and another secret, id, time or body is refused by it', () => {
  const body = JSON.stringify({ ...EVENT, note: 'Grüße 😀' });
  const now = Math.floor(Date.now() / 1_000);
  const headers = signedHeaders(signingKeyOf(SECRET), KEPT.id, now, body);
  const webhook = new Webhook(SECRET);
  expect(headers['webhook-signature']).toBe(webhook.sign(KEPT.id, new Date(now * 1_000), body));
  expect(webhook.verify(body, headers)).toMatchObject(EVENT);
  const other = new Webhook(`whsec_${Buffer.alloc(24, 1).toString('base64')}`);
  expect(() => other.verify(body, headers)).toThrow();
  expect(() => webhook.verify(`${body} `, headers)).toThrow();
  expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
  expect(() => webhook.verify(body, { ...headers, 'webhook-timestamp': String(now - 1) })).toThrow();
});

test.each([24, 64])('a secret of %d bytes signs as the package does', (bytes) => {
  const secret = `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  const { 'webhook-signature': signature } = signedHeaders(signingKeyOf(secret), 'evt_1', 1_769_850_307, '{}');
  expect(signature).toBe(new Webhook(secret).sign('evt_1', new Date(1_769_850_307_000), '{}'));
});

test.each([
  [200, { is: 'accepted' }],
  [202, { is: 'accepted' }],
  [299, { is: 'accepted' }],
  [304, { is: 'failed', reason: 'status 304' }],
  [400, { is: 'failed', reason: 'status 400' }],
  [401, { is: 'failed', reason: 'status 401' }],
  [410, { is: 'gone' }],
  [500, { is: 'failed', reason: 'status 500' }],
])('status %d means %j', async (status, meaning) => {
  const { answer } = await answered(status);
  expect(answer).toEqual({ ...(meaning.is === 'failed' && { retryAfterMs: undefined }), ...meaning });
});

test('a redirect is a failure, and is not followed', async () => {
  await using elsewhere = await HandReceiver.listen();
  const { answer } = await answered((response) => response.writeHead(307, { location: elsewhere.url }).end());
  expect(answer).toMatchObject({ is: 'failed', reason: 'status 307' });
  expect(elsewhere.requests).toEqual([]);
});

test('a wait is taken from a receiver that is busy, and from no other', async () => {
  const asks = (status: number, after: string) => (response: import('node:http').ServerResponse) =>
    void response.writeHead(status, { 'retry-after': after }).end();
  expect((await answered(asks(429, '120'))).answer).toMatchObject({ retryAfterMs: 120_000 });
  expect((await answered(asks(503, '7'))).answer).toMatchObject({ retryAfterMs: 7_000 });
  expect((await answered(asks(503, 'soon'))).answer).toMatchObject({ retryAfterMs: undefined });
  expect((await answered(asks(400, '120'))).answer).toMatchObject({ retryAfterMs: undefined });
});

describe('a hostile receiver', () => {
  /** Speaks bytes in place of HTTP. */
  async function raw(talk: (socket: Socket) => void, act: (url: string) => Promise<void>): Promise<void> {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => talk(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  }

  test('that never answers is given up', () =>
    raw(
      () => {},
      async (url) => expect(await sendTo(url, 50)).toEqual({ is: 'failed', reason: 'no answer within 0.05 s' }),
    ));

  test('that breaks off within the head of its answer has not accepted', () =>
    raw(
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
      async (url) => expect(await sendTo(url)).toMatchObject({ is: 'failed' }),
    ));

  test('that breaks off within the body, or goes on with it without end, has accepted', async () => {
    await raw(
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":'),
      async (url) => expect(await sendTo(url)).toEqual({ is: 'accepted' }),
    );
    let sent = 0;
    await raw(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n');
        const more = () => {
          while (!socket.destroyed && sent < 2 ** 26) {
            sent += 65_536;
            if (!socket.write(Buffer.alloc(65_536, 'x'))) return void socket.once('drain', more);
          }
        };
        more();
      },
      async (url) => expect(await sendTo(url)).toEqual({ is: 'accepted' }),
    );
    expect(sent).toBeLessThan(2 ** 25); // the rest was not read
  });

  test('that talks something else, or with a huge head, has not accepted', async () => {
    await raw(
      (socket) => socket.end('220 mail.example.com ESMTP\r\n'),
      async (url) => expect(await sendTo(url)).toMatchObject({ is: 'failed' }),
    );
    await raw(
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
      async (url) => expect(await sendTo(url)).toMatchObject({ is: 'failed' }),
    );
  });

  test('that is not there is a failure with a short reason', async () => {
    const server = createHttpServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await sendTo(`http://127.0.0.1:${port}/?key=secret`)).toEqual({ is: 'failed', reason: 'ECONNREFUSED' });
  });
});
