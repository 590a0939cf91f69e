import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import type { FakeRequest } from './fake-request.js';
import type { FakeRefusal } from './fake-socket-server.js';
import type { FakeLiveOptions } from './live/fake-live-reply.js';
import { FakeLiveServer } from './live/fake-live-server.js';
import { XaiSession } from './live/xai-session.js';

/**
 * xAI's realtime socket on loopback, for tests without an account: a client gets a secret for one hour by HTTP, and connects
 * with it or with its key. What the caller has not heard cannot be taken back: xAI ignores it.
 */
export class FakeXai extends FakeLiveServer<XaiSession> {
  readonly #secrets = new Set<string>();

  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeLiveOptions = {}): Promise<FakeXai> {
    const fake = new FakeXai(options);
    await fake.listen();
    return fake;
  }

  /** Base address for a client, such as `http://127.0.0.1:41234/v1`. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): void {
    const reply = (status: number, fields: object) => {
      const { retryAfterS } = this.refusal ?? {};
      const headers = {
        'content-type': 'application/json',
        ...(retryAfterS ? { 'retry-after': `${retryAfterS}` } : {}),
      };
      response.writeHead(status, headers).end(JSON.stringify(fields));
    };
    const key = bearerOf(request);
    const isKnown = key && (this.options.apiKey === undefined || key === this.options.apiKey);
    if (request.method !== 'POST' || request.url !== '/v1/realtime/client_secrets') reply(404, { error: 'Not found.' });
    else if (this.refusal) reply(this.refusal.status, this.wordsOf(this.refusal));
    else if (!isKnown) reply(401, this.wordsOf({ status: 401, message: 'Incorrect API key provided.' }));
    else {
      const value = `xai-realtime-client-secret-${this.#secrets.size + 1}`;
      this.#secrets.add(value);
      reply(200, { value, expires_at: Math.floor(Date.now() / 1_000) + 3_600 });
    }
  }

  protected override keyOf(request: IncomingMessage): string | undefined {
    const [, secret] =
      /xai-client-secret\.([^,\s]+)/.exec(String(request.headers['sec-websocket-protocol'] ?? '')) ?? [];
    if (secret === undefined) return bearerOf(request);
    return this.#secrets.has(secret) ? (this.options.apiKey ?? secret) : undefined;
  }

  protected override isPath(path: string): boolean {
    return path === '/v1/realtime';
  }

  protected override wordsOf({ status, message }: FakeRefusal): object {
    return { code: status === 429 ? 'The service is overloaded' : 'Some requested entity was refused', error: message };
  }

  protected override accept(socket: WebSocket, request: FakeRequest): XaiSession {
    const { options, nextReply } = this;
    const setting = { request, options, texts: this.textsOfSession(), nextReply };
    return new XaiSession(socket, setting, this.sessions.length);
  }
}

const bearerOf = ({ headers }: IncomingMessage) => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
