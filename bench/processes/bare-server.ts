/** The yardstick: the least a server can do that echoes every message of a WebSocket. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { answer, usage } from './questions.js';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, maxPayload: 64 * 1_024 });
const listening = once(server, 'listening');
server.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (data, binary) => socket.send(data, { binary }));
});

const questions = {
  async url(): Promise<string> {
    await listening;
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
  usage,
};
export type EchoServer = typeof questions;

answer(questions);
