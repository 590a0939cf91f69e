import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { FakeRequest } from '../fake-request.js';
import { FakeSocketServer } from '../fake-socket-server.js';
import {
  type FakeLiveItem,
  type FakeLiveMoment,
  type FakeLiveOptions,
  type FakeLiveReply,
  playScript,
} from './fake-live-reply.js';
import type { FakeLiveSession } from './fake-live-session.js';

/** What all fake live models have: their sessions, a script, and the troubles of real ones. */
export abstract class FakeLiveServer<Session extends FakeLiveSession> extends FakeSocketServer {
  /** Every session, oldest first, closed ones too. */
  readonly sessions: Session[] = [];
  /** What clients asked for when they connected, in order; refused ones too. */
  readonly connections: FakeRequest[] = [];
  readonly #play: (moment: FakeLiveMoment) => FakeLiveReply;
  #count = 0;
  #opening: Promise<void> | undefined;
  #refused = 0;
  #awaited: Deferred<Session>[] = [];

  protected constructor(protected readonly options: FakeLiveOptions) {
    super();
    this.#play = playScript(options.replies);
  }

  /** Connections that were refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** Turns that the model has taken, in all sessions. */
  get turns(): number {
    return this.#count;
  }

  /** The latest session. @throws when there was none */
  get session(): Session {
    const session = this.sessions.at(-1);
    if (!session) throw new Error('no client has started a live session');
    return session;
  }

  /** What the model remembers in its latest session, oldest first. */
  get items(): readonly FakeLiveItem[] {
    return this.session.items;
  }

  /** The next session, from now on. */
  nextSession(): Promise<Session> {
    const awaited = deferred<Session>();
    this.#awaited.push(awaited);
    return awaited.promise;
  }

  /** From now on says nothing, in sessions that there are and in later ones. */
  override fallSilent(): void {
    super.fallSilent();
    for (const session of this.sessions) session.isMute = true;
  }

  /** From now on lets clients wait for their connection until `opening` resolves. */
  hold(opening: Promise<void>): void {
    this.#opening = opening;
  }

  /** Ends every session as when it has reached its longest time. */
  expire(): void {
    for (const session of this.sessions) if (session.isOpen) session.expire();
  }

  /** Ends {@link refuse}, {@link fallSilent} and {@link hold}, for connections made from now on. */
  override recover(): void {
    super.recover();
    this.#opening = undefined;
  }

  /** The key of a client that connects. */
  protected abstract keyOf(request: IncomingMessage, query: URLSearchParams): string | undefined;

  /** Whether the provider has this path. */
  protected abstract isPath(path: string): boolean;

  /** The provider's words for a refusal. */
  protected abstract refusalFields(status: number, message: string): object;

  /** A client has connected. */
  protected abstract accept(socket: WebSocket, request: FakeRequest): Session;

  /** What the model does in its next turn. */
  protected readonly nextReply = (moment: Omit<FakeLiveMoment, 'count'>): FakeLiveReply => {
    const count = this.#count;
    this.#count += 1;
    return this.#play({ ...moment, count });
  };

  /** What the caller says in the next session; it loses each text when it has been said. */
  protected textsOfSession(): string[] {
    const { texts = [] } = this.options;
    return [...(typeof texts === 'function' ? texts(this.sessions.length) : texts)];
  }

  protected override async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { pathname, searchParams: query } = new URL(`http://fake${request.url ?? '/'}`);
    const { authorization: _, 'x-goog-api-key': __, ...headers } = request.headers;
    const asked = { query, headers: headers as Record<string, string> };
    this.connections.push(asked);
    if (this.#opening) await this.#opening;
    const refusal = this.refusal ?? this.#refusalOf(request, pathname, query);
    if (refusal) {
      this.#refused += 1;
      this.refuseUpgrade(socket, refusal.status, this.refusalFields(refusal.status, refusal.message));
      return;
    }
    if (socket.destroyed) return;
    this.acceptUpgrade(request, socket, head, (client) => {
      const session = this.accept(client, asked);
      session.isMute = this.isMute;
      this.sessions.push(session);
      session.open();
      for (const awaited of this.#awaited.splice(0)) awaited.resolve(session);
    });
  }

  #refusalOf(request: IncomingMessage, path: string, query: URLSearchParams): typeof this.refusal {
    if (!this.isPath(path)) return { status: 404, message: 'Not found.' };
    const key = this.keyOf(request, query);
    const isKnown = key && (this.options.apiKey === undefined || key === this.options.apiKey);
    return isKnown ? undefined : { status: 401, message: 'Incorrect API key provided.' };
  }
}
