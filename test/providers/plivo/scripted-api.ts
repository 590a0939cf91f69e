import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/**
 * An answer, or what comes instead: `break` destroys the connection when the request is there, `stopsShort` does so in the
 * middle of the answer, `silence` never answers.
 */
export type Reply =
  | { status: number; body?: string; headers?: Record<string, string>; stopsShort?: true }
  | 'break'
  | 'silence';

/** A voice API on loopback that replies by a script: one reply after the other, the last for ever, or by request. */
export class ScriptedApi implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  readonly #server = http.createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const received = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    this.requests.push(received);
    const reply = this.#replyTo(received);
    this.#server.emit('received');
    if (reply === 'break') request.socket.destroy();
    else if (reply === 'silence') return;
    else if (reply.stopsShort) {
      response.writeHead(reply.status, { ...reply.headers, 'content-length': '1000' });
      response.write(reply.body ?? '{', () => request.socket.destroy());
    } else response.writeHead(reply.status, reply.headers).end(reply.body);
  });

  private constructor(readonly script: readonly Reply[] | ((request: ReceivedRequest) => Reply)) {}

  static async listen(script: readonly Reply[] | ((request: ReceivedRequest) => Reply)): Promise<ScriptedApi> {
    const api = new ScriptedApi(script);
    await once(api.#server.listen(0, '127.0.0.1'), 'listening');
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The next request is there. */
  received(): Promise<unknown> {
    return once(this.#server, 'received');
  }

  #replyTo(request: ReceivedRequest): Reply {
    if (typeof this.script === 'function') return this.script(request);
    return this.script[Math.min(this.requests.length, this.script.length) - 1] as Reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
