import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { deferred } from '../../../../src/base/async/deferred.js';
import { FliteThread } from '../../../../src/bot/services/tts/flite-thread.js';
import { haveLabSpeak } from '../../../../src/bot/services/tts/lab-speech.js';

const ORDER = { voice: 'slt', text: 'Good morning.', sampleRate: 8_000 } as const;

let server: Server;
afterEach(() => {
  haveLabSpeak(undefined);
  server.closeAllConnections();
  server.close();
});

/** Has a server speak that does so. */
async function lab(status: number, body: string | Int16Array, asked: unknown[] = []): Promise<void> {
  server = createServer(async (request, response) => {
    asked.push(await json(request));
    response.writeHead(status).end(typeof body === 'string' ? body : new Uint8Array(body.buffer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  haveLabSpeak(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** What is told of a text. The thread's program is not there: it cannot have said anything. */
const say = () =>
  new Promise<{ pcm: Int16Array | undefined; error: string | undefined }>((resolve) => {
    let pcm: Int16Array | undefined;
    new FliteThread(() => '/no-such.wasm').say(ORDER, {
      audio: (audio) => {
        pcm = audio;
      },
      over: (error) => resolve({ pcm, error: error?.message }),
    });
  });

test('a lab says what flite is to say, and this process loads nothing', async () => {
  const asked: unknown[] = [];
  const pcm = Int16Array.from([0, 1, -1, 32_767, -32_768]);
  await lab(200, pcm, asked);
  await new FliteThread(() => {
    throw new Error('it is loaded');
  }).load('slt');
  expect(await say()).toEqual({ pcm, error: undefined });
  expect(asked).toEqual([ORDER]);
});

test('what a lab cannot say fails with its reason', async () => {
  await lab(422, '{"error":"no voice"}');
  expect(await say()).toEqual({ pcm: undefined, error: expect.stringContaining('422: {"error":"no voice"}') });
});

test('of an order that was taken back nothing is told', async () => {
  const arrived = deferred();
  server = createServer(() => arrived.resolve()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  haveLabSpeak(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  const told: unknown[] = [];
  const stop = new FliteThread().say(ORDER, { audio: (pcm) => told.push(pcm), over: (error) => told.push(error) });
  await arrived.promise;
  stop();
  await closed;
  expect(told).toEqual([]);
});
