import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { FakeRequest } from './fake-request.js';
import type { FakeRefusal } from './fake-socket-server.js';
import type { FakeLiveOptions } from './live/fake-live-reply.js';
import { FakeLiveServer } from './live/fake-live-server.js';
import { GeminiSession } from './live/gemini-session.js';

const PATH =
  /^\/ws\/google\.ai\.generativelanguage\.v1(alpha|beta)?\.GenerativeService\.BidiGenerateContent(Constrained)?$/;

/**
 * Gemini's live socket (`BidiGenerateContent`) on loopback, for tests without an account. Like the real one it closes the socket
 * on a message that it does not know.
 *
 * ```ts
 * await using gemini = await FakeGeminiLive.start({ replies: { text: 'Hello.' } });
 * const live = createGoogleGenerativeAI({ apiKey: 'test', baseURL: gemini.baseUrl }).experimental_realtime('gemini-3.1-flash-live-preview');
 * ```
 */
export class FakeGeminiLive extends FakeLiveServer<GeminiSession> {
  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeLiveOptions = {}): Promise<FakeGeminiLive> {
    const fake = new FakeGeminiLive(options);
    await fake.listen();
    return fake;
  }

  /** Base address for a client, such as `http://127.0.0.1:41234/v1beta`. */
  get baseUrl(): string {
    return `${this.url}/v1beta`;
  }

  protected override keyOf({ headers }: IncomingMessage, query: URLSearchParams): string | undefined {
    return (
      (headers['x-goog-api-key'] as string | undefined) ?? query.get('key') ?? query.get('access_token') ?? undefined
    );
  }

  protected override isPath(path: string): boolean {
    return PATH.test(path.replace(/^\/+/, '/'));
  }

  protected override wordsOf({ status, message }: FakeRefusal): object {
    const words = status === 429 ? 'RESOURCE_EXHAUSTED' : status >= 500 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT';
    return { error: { code: status, message, status: words } };
  }

  protected override accept(socket: WebSocket, request: FakeRequest): GeminiSession {
    const { options, nextReply } = this;
    const query = new URLSearchParams([...request.query].filter(([name]) => name !== 'key' && name !== 'access_token'));
    const setting = { request: { ...request, query }, options, texts: this.textsOfSession(), nextReply };
    const resume = (handle: string) => this.sessions.find((session) => session.handle === handle)?.items;
    return new GeminiSession(socket, setting, this.sessions.length, resume);
  }
}
