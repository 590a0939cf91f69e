import type { Duplex } from 'node:stream';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import { type FakeRefusal, FakeSocketServer } from './fake-socket-server.js';

/** What all fakes have whose clients have sessions: a record of these, and clients that wait or are refused. */
export abstract class FakeSessionServer<Session extends { isMute: boolean }> extends FakeSocketServer {
  /** Every session, oldest first, closed ones too. */
  readonly sessions: Session[] = [];
  #opening: Promise<void> | undefined;
  #refused = 0;
  #awaited: Deferred<Session>[] = [];

  /** Connections that were refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** The latest session. @throws when there was none */
  get session(): Session {
    const session = this.sessions.at(-1);
    if (!session) throw new Error('no client has a session');
    return session;
  }

  /** The next session, from now on. */
  nextSession(): Promise<Session> {
    const awaited = deferred<Session>();
    this.#awaited.push(awaited);
    return awaited.promise;
  }

  /** From now on accepts connections and takes audio, but says nothing, in sessions that there are and in later ones. */
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

  /** The provider's words for a refusal, as fields of JSON. */
  protected abstract wordsOf(refusal: FakeRefusal): object;

  /** A session begins. */
  protected begin(session: Session): void {
    session.isMute = this.isMute;
    this.sessions.push(session);
    for (const awaited of this.#awaited.splice(0)) awaited.resolve(session);
  }

  /** Resolves when clients need not wait any more. */
  protected async opened(socket: Duplex): Promise<void> {
    if (this.#opening) await waitWhileThere(socket, this.#opening);
  }

  /** A client gets no socket. */
  protected turnAway(socket: Duplex, refusal: FakeRefusal): void {
    this.#refused += 1;
    this.refuseUpgrade(socket, refusal.status, this.wordsOf(refusal));
  }
}

/** Reads the socket, which says nothing before it is accepted: otherwise a client could go away unnoticed. */
async function waitWhileThere(socket: Duplex, opening: Promise<void>): Promise<void> {
  const leave = () => socket.destroy();
  socket.once('end', leave).resume();
  await opening;
  socket.off('end', leave);
}
