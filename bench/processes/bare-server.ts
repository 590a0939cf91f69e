/** The yardstick: the least a server of plain `ws` can do that says back the audio of a carrier's stream. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { answer } from './questions.js';

const FORMAT = { contentType: 'audio/x-mulaw', sampleRate: 8000 };

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, maxPayload: 64 * 1_024 });
const listening = once(server, 'listening');
server.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (data) => {
    const { event, media } = JSON.parse(String(data));
    if (event === 'media')
      socket.send(JSON.stringify({ event: 'playAudio', media: { ...FORMAT, payload: media.payload } }));
  });
});

const questions = {
  async url(): Promise<string> {
    await listening;
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
};
export type EchoServer = typeof questions;

answer(questions);
