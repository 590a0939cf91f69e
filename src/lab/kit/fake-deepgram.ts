import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import type { FakeRequest } from './fake-request.js';
import { FakeSocketServer } from './fake-socket-server.js';
import { ListenSession } from './listen-session.js';

/** Answers the sockets of `/v1/speak`. */
export type SpeakHandler = (socket: WebSocket, request: FakeRequest) => void;

/** What a {@link FakeDeepgram} understands. */
export interface FakeDeepgramOptions {
  /** The one key that is accepted. Default: any. */
  apiKey?: string;
  /**
   * What the caller says: one text for each time that speech is heard and ends, given as interim results that grow while
   * the speech lasts and as a final one after it. A function is asked once for each call. Nothing is understood after
   * the last text, nor without this option: let {@link ListenSession.say} do it.
   */
  texts?: readonly string[] | ((request: FakeRequest) => readonly string[]);
  /** Silence that ends speech, in milliseconds. Default: what the client asks for with `endpointing`, else 300. */
  silenceMs?: number;
  /** How long the service thinks before it tells a result, in milliseconds. Default 0. */
  delayMs?: number;
  /** Longest time without audio and without keep-alive before a socket is closed, in milliseconds. Default 10000, as the real one. */
  idleLimitMs?: number;
  /** Called for every connection that transcribes. */
  onListen?: (session: ListenSession) => void;
  /** Answers `/v1/speak`. Default: 404. */
  speak?: SpeakHandler;
}

const IDLE_LIMIT_MS = 10_000;

/**
 * Deepgram's sockets on loopback, for tests without an account: give {@link url} as `baseUrl`, or as `DEEPGRAM_BASE_URL`.
 * It understands nothing; it says what the test tells it to.
 *
 * ```ts
 * await using deepgram = await FakeDeepgram.start({ texts: ['I would like a table for two.', 'Yes, please.'] });
 * const stt = new DeepgramSTT({ apiKey: 'test', baseUrl: deepgram.url });
 * ```
 */
export class FakeDeepgram extends FakeSocketServer {
  /** Every connection that transcribed, oldest first, closed ones too. */
  readonly sessions: ListenSession[] = [];
  readonly #options: FakeDeepgramOptions;
  /** What was left unsaid on connections that broke: the next ones go on there. */
  readonly #unsaid: string[][] = [];
  #opening: Promise<void> | undefined;
  #refused = 0;
  #awaited: Deferred<ListenSession>[] = [];

  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeDeepgramOptions = {}): Promise<FakeDeepgram> {
    const fake = new FakeDeepgram(options);
    await fake.listen();
    return fake;
  }

  private constructor(options: FakeDeepgramOptions) {
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
  get session(): ListenSession {
    const session = this.sessions.at(-1);
    if (!session) throw new Error('no client has connected to /v1/listen');
    return session;
  }

  /** The next connection that transcribes, from now on. */
  nextSession(): Promise<ListenSession> {
    const awaited = deferred<ListenSession>();
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

  protected override async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (this.#opening) await waitWhileThere(socket, this.#opening);
    const refuse = (status: number, message: string) => {
      this.#refused += 1;
      this.refuseUpgrade(socket, status, { err_code: 'REFUSED', err_msg: message, request_id: 'fake' });
    };
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://fake');
    const { apiKey, speak } = this.#options;
    if (this.refusal) return refuse(this.refusal.status, this.refusal.message);
    const { authorization, ...headers } = request.headers as Record<string, string>;
    if (!authorization?.startsWith('Token ') || (apiKey && authorization !== `Token ${apiKey}`)) {
      return refuse(401, 'Invalid credentials.');
    }
    const accept = { '/v1/listen': this.#listen, '/v1/speak': speak }[pathname];
    if (!accept) return refuse(404, 'Not found.');
    this.acceptUpgrade(request, socket, head, (client) => {
      client.on('error', () => {});
      accept(client, { query, headers });
    });
  }

  readonly #listen = (socket: WebSocket, request: FakeRequest): void => {
    const { texts = [], silenceMs, delayMs = 0, idleLimitMs = IDLE_LIMIT_MS, onListen } = this.#options;
    const unsaid = this.#unsaid.shift() ?? [...(typeof texts === 'function' ? texts(request) : texts)];
    const session = new ListenSession(socket, request, { texts: unsaid, silenceMs, delayMs, idleLimitMs });
    session.isMute = this.isMute;
    this.sessions.push(session);
    void session.closed.then(() => {
      if (!session.messages.includes('CloseStream')) this.#unsaid.push(unsaid);
    });
    onListen?.(session);
    for (const awaited of this.#awaited.splice(0)) awaited.resolve(session);
  };
}

/** Reads the socket, which says nothing before it is accepted: otherwise a client could go away unnoticed. */
async function waitWhileThere(socket: Duplex, opening: Promise<void>): Promise<void> {
  const leave = () => socket.destroy();
  socket.once('end', leave).resume();
  await opening;
  socket.off('end', leave);
}
