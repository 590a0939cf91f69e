import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A room provider's REST API that answers with these statuses, the last one for ever, and notes what it is asked. */
export async function startRoomsApi(
  ...statuses: number[]
): Promise<
  { url: string; requests: Array<{ what: string; authorization: string | undefined; body: unknown }> } & AsyncDisposable
> {
  const requests: Array<{ what: string; authorization: string | undefined; body: unknown }> = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const { method, url, headers } = request;
    requests.push({
      what: `${method} ${url}`,
      authorization: headers.authorization,
      body: text === '' ? undefined : JSON.parse(text),
    });
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    const answer = status === 200 ? { ok: 'true' } : { error: 'invalid-request-error', info: 'call forwarding failed' };
    response.writeHead(status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
