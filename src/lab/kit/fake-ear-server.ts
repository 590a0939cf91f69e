import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { EarSession, EarSessionOptions } from './ear-session.js';
import type { FakeRequest } from './fake-request.js';
import { FakeSocketServer } from './fake-socket-server.js';

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

/** Why a client gets no socket. */
export interface EarRefusal {
  readonly status: number;
  readonly message: string;
}

/** What all fakes that listen have beside their server: sessions, and texts that go on after a break. */
export abstract class FakeEarServer<Session extends EarSession> extends FakeSocketServer {
  /** Every connection that transcribed, oldest first, closed ones too. */
  readonly sessions: Session[] = [];
  readonly #options: FakeEarOptions;
  /** What was left unsaid on connections that broke: the next ones go on there. */
  readonly #unsaid: string[][] = [];
  #opening: Promise<void> | undefined;
  #refused = 0;
  #awaited: Deferred<Session>[] = [];

  protected constructor(options: FakeEarOptions) {
    super();
    this.#options = options;
  }

  /** Connections that are open, or wait to be accepted. */
  override get open(): number {
    return this.connected.size;
  }

  /** Connections that were refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** The latest connection that transcribes. @throws when there was none */
  get session(): Session {
    const session = this.sessions.at(-1);
    if (!session) throw new Error('no client has connected to be listened to');
    return session;
  }

  /** The next connection that transcribes, from now on. */
  nextSession(): Promise<Session> {
    const awaited = deferred<Session>();
    this.#awaited.push(awaited);
    return awaited.promise;
  }

  /** From now on accepts connections and takes audio, but says nothing. */
  override fallSilent(): void {
    super.fallSilent();
    for (const session of this.sessions) session.isMute = true;
  }

  /** From now on lets clients wait for their connection until `opening` resolves. */
  hold(opening: Promise<void>): void {
    this.#opening = opening;
  }

  /** Ends {@link refuse}, {@link fallSilent} and {@link hold}, for connections made from now on. */
  override recover(): void {
    super.recover();
    this.#opening = undefined;
  }

  /** The key of a client that connects; undefined: it has given none in the right way. */
  protected abstract keyOf(request: IncomingMessage): string | undefined;

  /** What serves a client's sockets, or why it gets none. */
  protected abstract route(path: string, request: FakeRequest): ServeSocket | EarRefusal;

  /** The provider's words for a refusal, as fields of JSON. */
  protected abstract wordsOf(refusal: EarRefusal): object;

  /** Listens to a client. @param make the session, which understands what it is given @internal */
  protected listenTo(request: FakeRequest, make: (options: EarSessionOptions) => Session): Session {
    const { texts = [], silenceMs, delayMs = 0, idleLimitMs } = this.#options;
    const unsaid = this.#unsaid.shift() ?? [...(typeof texts === 'function' ? texts(request) : texts)];
    const session = make({ texts: unsaid, silenceMs, delayMs, idleLimitMs });
    session.isMute = this.isMute;
    this.sessions.push(session);
    void session.closed.then(() => {
      if (!session.isDone) this.#unsaid.push(unsaid);
    });
    for (const awaited of this.#awaited.splice(0)) awaited.resolve(session);
    return session;
  }

  protected override async upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (this.#opening) await waitWhileThere(socket, this.#opening);
    const { pathname, searchParams: query } = new URL(incoming.url ?? '/', 'http://fake');
    const {
      authorization: _,
      'xi-api-key': __,
      'sec-websocket-protocol': ___, // OpenAI's key may stand there
      ...headers
    } = incoming.headers as Record<string, string>;
    const request = { query, headers };
    const key = this.keyOf(incoming);
    const { apiKey = key } = this.#options;
    const isKnown = key !== undefined && key === apiKey;
    const served =
      this.refusal ?? (isKnown ? this.route(pathname, request) : { status: 401, message: 'Invalid credentials.' });
    if (typeof served === 'object') {
      this.#refused += 1;
      this.refuseUpgrade(socket, served.status, this.wordsOf(served));
      return;
    }
    this.acceptUpgrade(incoming, socket, head, (client) => {
      client.on('error', () => {});
      served(client, request);
    });
  }
}

/** Reads the socket, which says nothing before it is accepted: otherwise a client could go away unnoticed. */
async function waitWhileThere(socket: Duplex, opening: Promise<void>): Promise<void> {
  const leave = () => socket.destroy();
  socket.once('end', leave).resume();
  await opening;
  socket.off('end', leave);
}
