import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { CallSocket, MAX_MESSAGE_BYTES } from '../../../src/runner/bots/call-socket.js';
import { textFrameAt } from '../../../src/runner/bots/text-frame.js';

interface Sent {
  first: number;
  data: Buffer;
  isMasked: boolean;
}

/** RFC 6455 section 5.2. */
function frame({ first, data, isMasked }: Sent): Buffer {
  const mask = Buffer.from([0x12, 0xfe, 0, 0x80]);
  const length = data.length > 125 ? [126, data.length >> 8, data.length & 255] : [data.length];
  const head = Buffer.from([first, (isMasked ? 0x80 : 0) | (length[0] as number), ...length.slice(1)]);
  if (!isMasked) return Buffer.concat([head, data]);
  return Buffer.concat([head, mask, data.map((byte, i) => byte ^ (mask[i % 4] as number))]);
}

const TEXT = 0x81;
const text = (words: string) => frame({ first: TEXT, data: Buffer.from(words), isMasked: true });

const server = createServer();
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** What a socket tells of chunks that come one by one on its connection. @param connect returns the connection that counts them */
async function heardBy(socket: WebSocket, connect: (connection: Socket) => Socket, chunks: readonly Buffer[]) {
  const heard: unknown[] = [];
  socket.on('message', (data, isBinary) => heard.push([String(data), isBinary]));
  socket.on('ping', (data) => heard.push(['ping', String(data)]));
  socket.on('error', ({ message }) => heard.push(['error', message]));
  const farEnd = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
    .setNoDelay()
    .resume();
  farEnd.on('error', () => {});
  const [near] = (await once(server, 'connection')) as [Socket];
  const connection = connect(near);
  let sentBytes = 0;
  for (const chunk of chunks) {
    farEnd.write(chunk);
    sentBytes += chunk.length;
    while (connection.bytesRead < sentBytes && !connection.destroyed) await new Promise(setImmediate);
  }
  socket.terminate();
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
  farEnd.destroy();
  return heard;
}

function byWs(chunks: readonly Buffer[]): Promise<unknown[]> {
  type Internals = { setSocket(socket: Socket, head: Buffer, options: object): void };
  const socket = new WebSocket(...([null, undefined, { autoPong: false }] as unknown as [string]));
  const options = { allowSynchronousEvents: true, maxPayload: MAX_MESSAGE_BYTES, skipUTF8Validation: false };
  const connect = (connection: Socket) => {
    (socket as unknown as Internals).setSocket(connection, Buffer.alloc(0), options);
    return connection;
  };
  return heardBy(socket, connect, chunks);
}

function byCallSocket(chunks: readonly Buffer[]): Promise<unknown[]> {
  const socket = new CallSocket();
  return heardBy(socket, (connection) => socket.connect(connection, Buffer.alloc(0)), chunks);
}

const first = fc.constantFrom(TEXT, TEXT, TEXT, 0x01, 0x80, 0x82, 0x89, 0xc1, 0x88);
const bytes = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }).map((words) => Buffer.from(words)),
  fc.uint8Array({ maxLength: 125 }).map((data) => Buffer.from(data)),
);
const sent = fc.record({ first, data: bytes, isMasked: fc.integer({ max: 9, min: 0 }).map((n) => n > 0) });

test('whatever comes, however it is cut, is heard as ws hears it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { maxLength: 8 }), fc.array(fc.nat(600), { maxLength: 6 }), async (all, cuts) => {
      const stream = Buffer.concat(all.map(frame));
      const at = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
      const chunks = at.slice(1).map((end, i) => stream.subarray(at[i], end));
      expect(await byCallSocket(chunks)).toEqual(await byWs(chunks));
    }),
    { numRuns: 300 },
  );
});

test('the texts of one chunk are heard in order, also what follows a piece of another one', async () => {
  const chunk = Buffer.concat([text('one'), text('x'.repeat(200)), text('three')]);
  const chunks = [chunk, chunk.subarray(0, 20), chunk.subarray(20)];
  const all = ['one', 'x'.repeat(200), 'three'].map((words) => [words, false]);
  expect(await byCallSocket(chunks)).toEqual([...all, ...all]);
});

test('a text has memory of its own, and what the chunk holds is left as it is', () => {
  const chunk = text('hello');
  const before = Buffer.from(chunk);
  const taken = textFrameAt(chunk, 0, chunk.length);
  expect(chunk).toEqual(before);
  chunk.fill(0);
  expect(String(taken)).toBe('hello');
});

test('what is not UTF-8, and what has not come in whole, is not taken', () => {
  const wrong = frame({ first: TEXT, data: Buffer.from([0xff, 0xfe]), isMasked: true });
  expect(textFrameAt(wrong, 0, wrong.length)).toBeUndefined();
  const whole = text('hello');
  for (let end = 0; end < whole.length; end += 1) expect(textFrameAt(whole, 0, end)).toBeUndefined();
});
