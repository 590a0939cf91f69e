import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Inbox } from '../sandbox/inbox.js';

export interface ApiRequest {
  readonly method: string;
  /** Below the account, with query: `Call/`, `Call/<id>/`. */
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** `hang_up`: the connection is closed without an answer. */
export type ApiAnswer = { status: number; body?: object; headers?: Record<string, string> } | 'hang_up';

/** The carrier's voice API, whose every answer is the test's. */
export class HandApi implements AsyncDisposable {
  readonly requests = new Inbox<ApiRequest>();
  /** Decides an answer; undefined means the usual one. */
  respond: (request: ApiRequest) => ApiAnswer | undefined | Promise<undefined> = () => undefined;
  readonly #server: Server;

  static async start(): Promise<HandApi> {
    const api = new HandApi();
    api.#server.listen(0, '127.0.0.1').unref(); // tests of a runner's end have nobody who closes it
    await once(api.#server, 'listening');
    return api;
  }

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const raw = await text(request);
      const path = request.url?.replace(/^.*\/Account\/[^/]+\//, '') ?? '';
      const sent: ApiRequest = { method: request.method ?? '', path, body: raw ? JSON.parse(raw) : {} };
      this.requests.push(sent);
      const answer = (await this.respond(sent)) ?? usual(sent);
      if (answer === 'hang_up') return request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      return response.end(answer.body ? JSON.stringify(answer.body) : '');
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The next request of this kind. */
  next(method: string, path: RegExp): Promise<ApiRequest> {
    return this.requests.next((request) => request.method === method && path.test(request.path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function usual({ method, path }: ApiRequest): ApiAnswer {
  if (method === 'DELETE') return { status: 204 };
  if (method === 'GET') return { status: 200, body: { calls: [] } };
  if (path === 'Call/') return { status: 201, body: { message: 'call fired', request_uuid: randomUUID() } };
  return { status: 202, body: { message: 'call transferred' } };
}
