import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EarSession, EarSessionOptions } from './ear-session.js';
import { type FakeRequest, requestOf } from './fake-request.js';
import { FakeSessionServer } from './fake-session-server.js';
import type { FakeRefusal } from './fake-socket-server.js';

/** What a fake that listens understands. */
export interface FakeEarOptions {
  /** The one key that is accepted. Default: any. */
  apiKey?: string;
  /**
   * What the caller says: one text for each time that speech is heard and ends, given as interim results that grow while
   * the speech lasts and as a final one after it. A function is asked once for each call. Nothing is understood after
   * the last text, nor without this option: let the session's `say` do it.
   */
  texts?: readonly string[] | ((request: FakeRequest) => readonly string[]);
  /** Silence that ends speech, in milliseconds. Default: what the client asks for, else the provider's own. */
  silenceMs?: number;
  /** How long the service thinks before it tells a result, in milliseconds. Default 0. */
  delayMs?: number;
  /** Longest time without a message before a socket is closed, in milliseconds. Default: the provider's own. */
  idleLimitMs?: number;
}

/** Serves the sockets of one path. */
export type ServeSocket = (socket: WebSocket, request: FakeRequest) => void;

/** What all fakes that listen have beside their sessions: texts that go on after a break. */
export abstract class FakeEarServer<Session extends EarSession> extends FakeSessionServer<Session> {
  readonly #options: FakeEarOptions;
  /** What was left unsaid on connections that broke: the next ones go on there. */
  readonly #unsaid: string[][] = [];

  protected constructor(options: FakeEarOptions) {
    super();
    this.#options = options;
  }

  /** Connections that are open, or wait to be accepted. */
  override get open(): number {
    return this.connected.size;
  }

  /** The key of a client that connects; undefined: it has given none in the right way. */
  protected abstract keyOf(request: IncomingMessage): string | undefined;

  /** What serves a client's sockets, or why it gets none. */
  protected abstract route(path: string, request: FakeRequest): ServeSocket | FakeRefusal;

  /** Listens to a client. @param make the session, which understands what it is given @internal */
  protected listenTo(request: FakeRequest, make: (options: EarSessionOptions) => Session): Session {
    const { texts = [], silenceMs, delayMs = 0, idleLimitMs } = this.#options;
    const unsaid = this.#unsaid.shift() ?? [...(typeof texts === 'function' ? texts(request) : texts)];
    const session = make({ texts: unsaid, silenceMs, delayMs, idleLimitMs });
    this.begin(session);
    void session.closed.then(() => {
      if (!session.isDone) this.#unsaid.push(unsaid);
    });
    return session;
  }

  protected override async upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    await this.opened(socket);
    const { path, ...request } = requestOf(incoming);
    const key = this.keyOf(incoming);
    const { apiKey = key } = this.#options;
    const isKnown = key !== undefined && key === apiKey;
    const served =
      this.refusal ?? (isKnown ? this.route(path, request) : { status: 401, message: 'Invalid credentials.' });
    if (typeof served === 'object') {
      this.turnAway(socket, served);
      return;
    }
    this.acceptUpgrade(incoming, socket, head, (client) => {
      client.on('error', () => {});
      served(client, request);
    });
  }
}
