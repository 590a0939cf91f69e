import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider's API that another one answers behind it, and which can be out of order, or have another time of day. */
export class ProviderProxy implements AsyncDisposable {
  /** Everything is answered with an error of its own. */
  isFailing = false;
  /** How far its clock is ahead of ours, in milliseconds. */
  aheadMs = 0;
  readonly #server = createServer(async (request, response) => {
    response.setHeader('date', new Date(Date.now() + this.aheadMs).toUTCString());
    if (this.isFailing) return void response.writeHead(500).end('{"error":"out of order"}');
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = request.headers;
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const answer = await fetch(new URL(this.target).origin + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });

  static async start(target: string): Promise<ProviderProxy> {
    const proxy = new ProviderProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  private constructor(private readonly target: string) {}

  /** In place of `target`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${new URL(this.target).pathname}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
