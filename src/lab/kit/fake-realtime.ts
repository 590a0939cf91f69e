import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { FakeRequest } from './fake-request.js';
import type { FakeRefusal } from './fake-socket-server.js';
import type { FakeLiveOptions } from './live/fake-live-reply.js';
import { FakeLiveServer } from './live/fake-live-server.js';
import { RealtimeSession } from './live/realtime-session.js';

/**
 * OpenAI's realtime socket on loopback, for tests without an account. It hears where the caller's turns begin and end,
 * understands nothing, and says what the test tells it to; what the model remembers can be read.
 *
 * ```ts
 * await using realtime = await FakeRealtime.start({ texts: ['A table for two.'], replies: [{ text: 'Hello.' }, { text: 'For when?' }] });
 * const live = createOpenAI({ apiKey: 'test', baseURL: realtime.baseUrl }).experimental_realtime('gpt-realtime-2.1');
 * ```
 */
export class FakeRealtime extends FakeLiveServer<RealtimeSession> {
  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeLiveOptions = {}): Promise<FakeRealtime> {
    const fake = new FakeRealtime(options);
    await fake.listen();
    return fake;
  }

  /** Base address for a client, such as `http://127.0.0.1:41234/v1`. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    const browser = /openai-insecure-api-key\.([^,\s]+)/.exec(String(headers['sec-websocket-protocol'] ?? ''));
    return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? browser?.[1];
  }

  protected override isPath(path: string): boolean {
    return path === '/v1/realtime';
  }

  protected override wordsOf({ status, message }: FakeRefusal): object {
    const type = status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'invalid_request_error';
    return { error: { message, type, param: null, code: status === 401 ? 'invalid_api_key' : type } };
  }

  protected override accept(socket: WebSocket, request: FakeRequest): RealtimeSession {
    const { options, nextReply } = this;
    const setting = { request, options, texts: this.textsOfSession(), nextReply };
    return new RealtimeSession(socket, setting, this.sessions.length);
  }
}
