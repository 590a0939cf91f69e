import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GivenAnswer {
  readonly status: number;
  readonly body?: string;
}

/** What an {@link AnsweringApi} was asked. */
export interface AskedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A server on loopback that answers everything alike. */
export class AnsweringApi implements AsyncDisposable {
  /** Method and address of each request. */
  readonly requests: string[] = [];
  readonly #asked = new EventEmitter<{ request: [asked: AskedRequest] }>();
  readonly #server;

  private constructor({ status, body = '{}' }: GivenAnswer) {
    this.#server = createServer(async (request, response) => {
      const { method, url, headers } = request;
      const asked = { headers, body: Buffer.concat(await request.toArray()) };
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      this.requests.push(`${method} ${url}`);
      this.#asked.emit('request', asked);
    });
  }

  static async listen(answer: GivenAnswer): Promise<AnsweringApi> {
    const api = new AnsweringApi(answer);
    await once(api.#server.listen(0, '127.0.0.1'), 'listening');
    return api;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/v1`;
  }

  /** The next request of which something is wanted. Rejects when `read` throws. */
  next<Found>(read: (asked: AskedRequest) => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const look = (asked: AskedRequest) => {
        try {
          const found = read(asked);
          if (found === undefined) return;
          resolve(found);
        } catch (error) {
          reject(error);
        }
        this.#asked.off('request', look);
      };
      this.#asked.on('request', look);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
