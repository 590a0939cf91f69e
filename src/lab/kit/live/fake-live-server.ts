import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type FakeRequest, requestOf } from '../fake-request.js';
import { FakeSessionServer } from '../fake-session-server.js';
import {
  type FakeLiveItem,
  type FakeLiveMoment,
  type FakeLiveOptions,
  type FakeLiveReply,
  playScript,
} from './fake-live-reply.js';
import type { FakeLiveSession } from './fake-live-session.js';

/** What all fake live models have beside their sessions: a script. */
export abstract class FakeLiveServer<Session extends FakeLiveSession> extends FakeSessionServer<Session> {
  /** What clients asked for when they connected, in order; refused ones too. */
  readonly connections: FakeRequest[] = [];
  readonly #play: (moment: FakeLiveMoment) => FakeLiveReply;
  #count = 0;

  protected constructor(protected readonly options: FakeLiveOptions) {
    super();
    this.#play = playScript(options.replies);
  }

  /** Turns that the model has taken, in all sessions. */
  get turns(): number {
    return this.#count;
  }

  /** What the model remembers in its latest session, oldest first. */
  get items(): readonly FakeLiveItem[] {
    return this.session.items;
  }

  /** Ends every session as when it has reached its longest time. */
  expire(): void {
    for (const session of this.sessions) if (session.isOpen) session.expire();
  }

  /** The key of a client that connects. */
  protected abstract keyOf(request: IncomingMessage, query: URLSearchParams): string | undefined;

  /** Whether the provider has this path. */
  protected abstract isPath(path: string): boolean;

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
    const { path, ...asked } = requestOf(request);
    this.connections.push(asked);
    await this.opened(socket);
    const refusal = this.refusal ?? this.#refusalOf(request, path, asked.query);
    if (refusal) {
      this.turnAway(socket, refusal);
      return;
    }
    this.acceptUpgrade(request, socket, head, (client) => {
      const session = this.accept(client, asked);
      this.begin(session);
      session.open();
    });
  }

  #refusalOf(request: IncomingMessage, path: string, query: URLSearchParams): typeof this.refusal {
    if (!this.isPath(path)) return { status: 404, message: 'Not found.' };
    const key = this.keyOf(request, query);
    const isKnown = key && (this.options.apiKey === undefined || key === this.options.apiKey);
    return isKnown ? undefined : { status: 401, message: 'Incorrect API key provided.' };
  }
}
