import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentRequest {
  method: string;
  path: string;
}

/** What becomes of a request: it gets through, its connection breaks, or nobody ever answers. */
export type LineState = 'up' | 'broken' | 'silent';

/** The line between a command and its provider, which counts what is asked and can fail. */
export class ProviderLine implements AsyncDisposable {
  /** Every request so far. */
  readonly requests: SentRequest[] = [];
  state: LineState = 'up';
  /** Told of a request before it reaches the provider. */
  beforeProvider: (sent: SentRequest) => void = () => {};
  /** Told of a request that the provider has carried out, before its answer goes back. */
  afterProvider: (sent: SentRequest) => void = () => {};
  readonly #server = createServer((from, to) => this.#relay(from, to));

  /** @param origin the provider's, such as `http://127.0.0.1:5000` */
  static async to(origin: string): Promise<ProviderLine> {
    const line = new ProviderLine(origin);
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  private constructor(readonly origin: string) {}

  /** The same address of the provider, by way of this line. */
  via(url: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return url.replace(this.origin, `http://127.0.0.1:${port}`);
  }

  /** Requests that may have changed something. */
  get writes(): SentRequest[] {
    return this.requests.filter(isWrite);
  }

  /** Requests get through again, and nobody is told. */
  repair(): void {
    this.state = 'up';
    this.beforeProvider = () => {};
    this.afterProvider = () => {};
  }

  #relay(from: IncomingMessage, to: ServerResponse): void {
    const sent = { method: from.method ?? '', path: from.url ?? '' };
    this.requests.push(sent);
    this.beforeProvider(sent);
    if (this.state === 'broken') return void from.destroy();
    if (this.state === 'silent') return;
    const onward = request(this.origin + sent.path, { method: sent.method, headers: from.headers }, (answer) => {
      this.afterProvider(sent);
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    onward.on('error', () => from.destroy());
    to.on('error', () => {}); // whoever asked was killed
    from.pipe(onward);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export const isWrite = ({ method }: SentRequest): boolean => method !== 'GET';
