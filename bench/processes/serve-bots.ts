import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { BotFunction } from 'voicebot';
import { dist } from './dist.js';

const { BotHost } = await dist<typeof import('../../src/runner/bot-host.js')>('runner/bot-host.js');

/**
 * Serves any number of calls in this process, the way a bot's process does behind the runner.
 * @returns the address of the media streams
 */
export async function serveBots(bot: BotFunction): Promise<string> {
  const host = new BotHost(bot, () => {});
  const server = createServer().listen(0, '127.0.0.1');
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
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
