import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { type WebSocket, WebSocketServer } from 'ws';
import { originOf } from '../../e2e/addresses.js';
import { command } from '../in-process.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server of somebody else's, whose document has nothing after its stream. @param keeps whether the document waits for the stream */
async function foreignServer(leave: (socket: WebSocket) => void, keeps = true): Promise<string> {
  const server = createServer((_request, response) => {
    const url = `${originOf(server).replace('http', 'ws')}/stream`;
    const contentType = 'audio/x-mulaw;rate=8000';
    response.setHeader('content-type', 'application/xml');
    response.end(
      `<Response><Stream bidirectional="true" keepCallAlive="${keeps}" contentType="${contentType}">${url}</Stream></Response>`,
    );
  });
  servers.push(server);
  const streams = new WebSocketServer({ server });
  streams.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.once('message', () => leave(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `${originOf(server)}/answer`;
}

async function callOf(answerUrl: string): Promise<{ exitCode: unknown; succeeded: unknown; stderr: string }> {
  const args = ['call', '--answer-url', answerUrl, '--seconds', '20', '--json'];
  const { exitCode, events, stderr } = await command(args, tmpdir()).finished;
  return { exitCode, succeeded: events.find(({ event }) => event === 'ended')?.succeeded, stderr };
}

test.each([
  ['with code 1000', (socket: WebSocket) => socket.close(1000)],
  ['without a code', (socket: WebSocket) => socket.close()],
])('a call whose bot closes its stream %s has succeeded', async (_how, leave) => {
  expect(await callOf(await foreignServer(leave))).toEqual({ exitCode: 0, succeeded: true, stderr: '' });
});

test.each([
  ['vanishes', (socket: WebSocket) => socket.terminate()],
  ['fails', (socket: WebSocket) => socket.close(1011)],
  ['refuses the call', (socket: WebSocket) => socket.close(1008)],
])('a call whose bot %s has not', async (_how, leave) => {
  const { exitCode, succeeded, stderr } = await callOf(await foreignServer(leave));
  expect({ exitCode, succeeded }).toEqual({ exitCode: 8, succeeded: false });
  expect(stderr).toContain('did the bot crash');
});

test('nor has one whose document does not wait for its stream', async () => {
  const { exitCode, stderr } = await callOf(await foreignServer(() => {}, false));
  expect(exitCode).toBe(8);
  expect(stderr).toContain('The stream ended');
});
