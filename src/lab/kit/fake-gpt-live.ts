import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { FakeRequest } from './fake-request.js';
import type { FakeRefusal } from './fake-socket-server.js';
import type { FakeLiveOptions } from './live/fake-live-reply.js';
import { FakeLiveServer } from './live/fake-live-server.js';
import { GptLiveSession } from './live/gpt-live-session.js';

/**
 * OpenAI's socket for GPT-Live on loopback, for tests without an account: a model that speaks and listens all the time. Its clock
 * is the client's audio: 100 ms of it bring 100 ms of the model's, silence where it says nothing. It takes its turns itself,
 * stops when the caller speaks, says what the client appends as commentary, and hands work to the client where its script
 * says `delegates`.
 *
 * ```ts
 * await using live = await FakeGptLive.start({ replies: [{ text: 'One moment.', delegates: true }] });
 * const model = createOpenAI({ apiKey: 'test', baseURL: live.baseUrl }).experimental_realtime('gpt-live-1');
 * ```
 */
export class FakeGptLive extends FakeLiveServer<GptLiveSession> {
  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeLiveOptions = {}): Promise<FakeGptLive> {
    const fake = new FakeGptLive(options);
    await fake.listen();
    return fake;
  }

  /** Base address for a client, such as `http://127.0.0.1:41234/v1`. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  }

  protected override isPath(path: string): boolean {
    return path === '/v1/live/sessions';
  }

  protected override wordsOf({ status, message }: FakeRefusal): object {
    const type = status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'invalid_request_error';
    return { error: { message, type, param: null, code: status === 401 ? 'invalid_api_key' : type } };
  }

  protected override accept(socket: WebSocket, request: FakeRequest): GptLiveSession {
    const { options, nextReply } = this;
    const setting = { request, options, texts: this.textsOfSession(), nextReply };
    return new GptLiveSession(socket, setting, this.sessions.length);
  }
}
