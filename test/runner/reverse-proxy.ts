import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReverseProxyOptions {
  /** Where everything goes, without a trailing slash. */
  readonly upstream: string;
  /** The address its clients come from, as far as the header goes. */
  readonly client: string;
  /** Names the upstream in `Host` and adds no header of its own, as some do that nobody configured. */
  readonly isNaive?: boolean;
  /** A header that it takes away, in lower case. */
  readonly drops?: string;
}

/** What stands before a runner in production: it ends TLS elsewhere, forwards, and says for whom. */
export class ReverseProxy implements AsyncDisposable {
  readonly #server: Server;

  static async start(options: ReverseProxyOptions): Promise<ReverseProxy> {
    const proxy = new ReverseProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(private readonly options: ReverseProxyOptions) {
    this.#server = createServer((incoming, response) => {
      const onward = this.#forward(incoming);
      onward.once('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.once('error', () => response.destroy());
      incoming.pipe(onward);
    });
    this.#server.on('upgrade', (incoming, socket) => {
      const onward = this.#forward(incoming);
      const lines = ({ statusCode, statusMessage, rawHeaders }: IncomingMessage) => {
        const headers = rawHeaders.flatMap((name, n) => (n % 2 ? [] : [`${name}: ${rawHeaders[n + 1]}`]));
        return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...headers, '', ''].join('\r\n');
      };
      onward.once('upgrade', (answer, upstream, head) => {
        for (const [from, to] of [
          [socket, upstream],
          [upstream, socket],
        ] as const) {
          from.once('error', () => to.destroy());
          from.once('close', () => to.destroy());
        }
        socket.write(lines(answer));
        socket.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      onward.once('response', (answer) => {
        socket.write(lines(answer));
        answer.pipe(socket);
      });
      onward.once('error', () => socket.destroy());
      socket.on('error', () => {});
      onward.end();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward({ method, url = '/', headers }: IncomingMessage) {
    const { upstream, client, isNaive = false, drops } = this.options;
    const { 'x-forwarded-for': before } = headers;
    const told = isNaive
      ? { host: new URL(upstream).host }
      : { 'x-forwarded-for': before ? `${before}, ${client}` : client, 'x-forwarded-proto': 'https' };
    const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== drops));
    return request(upstream + url, { method, headers: { ...kept, ...told }, agent: false });
  }
}
