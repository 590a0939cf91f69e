import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { BotFunction } from '../call/runner-arguments.js';
import { carrierByName, DEFAULT_CARRIER } from '../carriers/registry.js';
import { BotHost } from '../runner/bot-host.js';

export interface ServedBot {
  readonly answerUrl: string;
  readonly hangupUrl: string;
  /** What the bot threw, once it did. */
  readonly error: Error | undefined;
  close(): Promise<void>;
}

/** Answers calls on this machine with a bot of this process: the first document connects it, the next hangs up. */
export async function serveBot(bot: BotFunction, body: Record<string, unknown>): Promise<ServedBot> {
  let error: Error | undefined;
  const host = new BotHost(
    async (args) => {
      try {
        await bot(args);
      } catch (thrown) {
        error = thrown instanceof Error ? thrown : new Error(String(thrown));
      }
    },
    () => {},
  );
  const carrier = carrierByName(DEFAULT_CARRIER);
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const fields = new Map(new URLSearchParams(body.toString()));
    const contentType = 'application/x-www-form-urlencoded';
    const webhook = carrier.parseWebhook({ parameters: fields, body, contentType });
    const { host: address } = request.headers;
    response.setHeader('content-type', 'application/xml');
    if (request.url !== '/answer') return response.end(carrier.answerDocument([{ do: 'hangup' }]));
    const parameters = { call_id: webhook.callId ?? '', from: webhook.from, to: webhook.to };
    const stream = { url: `ws://${address}/ws`, parameters, continueUrl: `http://${address}/resume` };
    return response.end(carrier.answerDocument([{ do: 'stream', stream }]));
  });
  server.on('upgrade', ({ method = 'GET', url = '', headers }, socket, head) => {
    if (!(socket instanceof Socket)) return;
    const query = new URLSearchParams(url.split('?')[1]);
    const field = (name: string) => query.get(name) ?? '';
    const call = {
      id: field('call_id'),
      direction: 'inbound',
      from: field('from'),
      to: field('to'),
      attempt: 1,
    } as const;
    host.serve(
      {
        type: 'serve',
        call,
        providerCallId: call.id,
        carrier: carrier.name,
        body,
        query: {},
        silenceMs: 0,
        request: { method, url, headers },
        head: head.toString('base64'),
      },
      socket,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    answerUrl: `${address}/answer`,
    hangupUrl: `${address}/hangup`,
    get error() {
      return error;
    },
    async close() {
      host.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
