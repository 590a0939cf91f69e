/** The yardstick: the least a server of plain `ws` can do that passes the audio of two streams on to each other. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EchoServer } from '../processes/bare-server.js';
import { answer } from '../processes/questions.js';

const FORMAT = { contentType: 'audio/x-mulaw', sampleRate: 8000 };

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, maxPayload: 64 * 1_024 });
const listening = once(server, 'listening');
/** Who waits for the other one, by the path of both. */
const waiting = new Map<string, WebSocket>();

server.on('connection', (socket, { url = '' }) => {
  socket.on('error', () => {});
  const [path = ''] = url.split('?');
  const other = waiting.get(path);
  if (!other) {
    waiting.set(path, socket);
    socket.on('close', () => waiting.delete(path));
    return;
  }
  waiting.delete(path);
  pass(socket, other);
  pass(other, socket);
});

function pass(from: WebSocket, to: WebSocket): void {
  from.on('message', (data) => {
    const { event, media } = JSON.parse(String(data));
    if (event === 'media')
      to.send(JSON.stringify({ event: 'playAudio', media: { ...FORMAT, payload: media.payload } }));
  });
  from.on('close', () => to.close());
}

const questions: EchoServer = {
  async url(): Promise<string> {
    await listening;
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

answer(questions);
