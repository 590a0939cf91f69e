import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { WebSocket } from 'ws';
import { type CallSocket, createUpgrader, MAX_MESSAGE_BYTES } from '../../src/runner/call-socket.js';

async function openCallSocket(protocols: string[] = []) {
  const server = createServer();
  const upgrader = createUpgrader();
  const accepted = new Promise<CallSocket>((resolve) => {
    server.on('upgrade', (request, socket, head) => {
      if (socket instanceof Socket) upgrader.handleUpgrade(request, socket, head, (websocket) => resolve(websocket));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const farEnd = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, protocols);
  const socket = await accepted;
  let closedByBot = 0;
  socket.onClosedByBot = () => {
    closedByBot += 1;
  };
  socket.on('error', () => {});
  farEnd.on('error', () => {});
  await once(farEnd, 'open');
  return {
    socket,
    farEnd,
    closedByBot: () => closedByBot,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      farEnd.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each(['close', 'terminate'] as const)('says once that the bot ended the stream with %s()', async (how) => {
  await using stream = await openCallSocket();
  const closed = once(stream.socket, 'close');
  stream.socket[how]();
  stream.socket.close();
  await closed;
  expect(stream.closedByBot()).toBe(1);
});

test.each([
  ['closes', (farEnd: WebSocket) => farEnd.close(1000)],
  ['closes without a code', (farEnd: WebSocket) => farEnd.close()],
  ['vanishes', (farEnd: WebSocket) => farEnd.terminate()],
  ['sends a message that is too long', (farEnd: WebSocket) => farEnd.send('x'.repeat(MAX_MESSAGE_BYTES + 1))],
])('does not blame the bot when the far end %s', async (_, end) => {
  await using stream = await openCallSocket();
  const closed = new Promise((resolve) => stream.socket.once('close', resolve));
  end(stream.farEnd);
  await closed;
  expect(stream.closedByBot()).toBe(0);
});

test('closes with 1009 after a message that is too long', async () => {
  await using stream = await openCallSocket();
  stream.farEnd.send('x'.repeat(MAX_MESSAGE_BYTES + 1));
  const [code] = await once(stream.farEnd, 'close');
  expect(code).toBe(1009);
});

test('echoes the first subprotocol that is offered', async () => {
  await using stream = await openCallSocket(['audio.plivo.com', 'other']);
  expect(stream.farEnd.protocol).toBe('audio.plivo.com');
});
