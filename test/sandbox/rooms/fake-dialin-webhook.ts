import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inbox } from '../inbox.js';

export interface ReceivedDialin {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are checked by the tests that read them
  readonly body: any;
  readonly raw: string;
}

/** A dial-in webhook as somebody would write it for the real provider: plain node:http, nothing of this project. */
export async function startDialinWebhook(answer: RequestListener = (_request, response) => response.end()) {
  const received = new Inbox<ReceivedDialin>();
  const server = createServer(async (request, response) => {
    const raw = (await request.toArray()).join('');
    // Somebody who still asks for a server that had this port before sends no body.
    if (raw === '') return void response.writeHead(400).end();
    const { url: path = '', method = '', headers } = request;
    received.push({ path, method, headers, raw, body: JSON.parse(raw) });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: (path = '/dialin') => `http://127.0.0.1:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Whether a webhook was signed with a secret. @see rooms reference 4.3 */
export function isSigned({ headers, raw }: ReceivedDialin, secret: string): boolean {
  const text = `${headers['x-pinless-timestamp']}.${raw}`;
  const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64');
  return headers['x-pinless-signature'] === signature;
}
