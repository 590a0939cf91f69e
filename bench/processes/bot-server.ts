/** A bot that serves many calls in one process, the way a bot's process does behind the runner. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import type { EchoServer } from './bare-server.js';
import { dist } from './dist.js';
import { answer, usage } from './questions.js';

const [botFile = ''] = process.argv.slice(2);
const { bot } = await import(pathToFileURL(botFile).href);
const { BotHost } = await dist<typeof import('../../src/runner/bot-host.js')>('runner/bot-host.js');

const host = new BotHost(bot, () => {});
const server = createServer().listen(0, '127.0.0.1');
const listening = once(server, 'listening');
server.on('upgrade', ({ method = 'GET', url = '', headers }, socket, head) => {
  if (!(socket instanceof Socket)) return;
  const call = {
    id: new URLSearchParams(url.split('?')[1]).get('call_id') ?? '',
    direction: 'inbound',
    from: '+12025550142',
    to: '+12025550100',
    attempt: 1,
  } as const;
  const request = { method, url, headers };
  host.serve(
    {
      type: 'serve',
      call,
      providerCallId: call.id,
      carrier: 'plivo',
      body: {},
      query: {},
      silenceMs: 180_000,
      limitMs: 3_600_000,
      request,
      head: head.toString('base64'),
    },
    socket,
  );
});

const questions: EchoServer = {
  async url() {
    await listening;
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  },
  usage,
};

answer(questions);
