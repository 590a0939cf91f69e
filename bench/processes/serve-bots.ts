import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { BotFunction } from 'voicebot';
import type { ReleasedStream } from '../../src/runner/bots/waiting-stream.js';
import { dist } from './dist.js';

const { BotHost } = await dist<typeof import('../../src/runner/bots/bot-host.js')>('runner/bots/bot-host.js');
const { WaitingStream } = await dist<typeof import('../../src/runner/bots/waiting-stream.js')>(
  'runner/bots/waiting-stream.js',
);

/**
 * Serves any number of calls in this process, the way a bot's process does behind the runner.
 * @returns the address of the media streams
 */
export async function serveBots(bot: BotFunction): Promise<string> {
  const waiting = new Map<string, ReleasedStream>();
  const host = new BotHost(bot, (message) => {
    if (message.type !== 'reading') return;
    const { callId } = message;
    const { socket, head } = waiting.get(callId) ?? {};
    waiting.delete(callId);
    host.receive({ type: 'stream', callId, head: head?.toString('base64') ?? '' }, socket);
  });
  const server = createServer().listen(0, '127.0.0.1');
  server.on('upgrade', (request, socket, head) => {
    if (!(socket instanceof Socket)) return;
    const { url = '' } = request;
    const call = {
      id: new URLSearchParams(url.split('?')[1]).get('call_id') ?? '',
      direction: 'inbound',
      from: '+12025550142',
      isWithheld: false,
      to: '+12025550100',
      attempt: 1,
    } as const;
    WaitingStream.answer(request, socket, head, (stream) => {
      waiting.set(call.id, stream.release());
      host.receive({
        type: 'serve',
        callId: call.id,
        call,
        providerCallId: call.id,
        carrier: 'plivo',
        body: {},
        query: {},
        silenceMs: 180_000,
        limitMs: 3_600_000,
      });
    });
  });
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
