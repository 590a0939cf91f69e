import type { Socket } from 'node:net';
import type TunnelCluster from 'localtunnel/lib/TunnelCluster.js';
import { deferred } from '../async/deferred.js';

/** A connection that ended sooner, without a byte, was refused. */
const REFUSED_WITHIN_MS = 1_000;
/** A connection that is neither open nor refused by then is tried again. */
const OPEN_WITHIN_MS = 15_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
/** How long there may be no connection at all. */
const MOST_WITHOUT_MS = 3_000;

/**
 * Keeps a number of connections to a localtunnel server waiting for requests: each serves one, then a fresh one takes
 * its place. (The library's own keeper forgets some connections, and opens refused ones again without a pause.)
 */
export class LocaltunnelConnections {
  readonly #lost = deferred<string>();
  readonly #live = new Set<Socket>();
  /** One for each connection that is being opened, oldest first: when to give it up. */
  readonly #opening: NodeJS.Timeout[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();
  #withoutAny: NodeJS.Timeout | undefined;
  #refusals = 0;
  #isClosed = false;

  constructor(
    private readonly cluster: TunnelCluster,
    private readonly count: number,
  ) {
    cluster.on('open', (socket) => this.#opened(socket));
    // Told only of what could not be opened; the listener stays for good, as an error without one ends the process.
    cluster.on('error', ({ message }) => {
      const [, address] = /^connection refused: (\S+)/.exec(message) ?? [];
      this.#lose(address ? `its server refuses connections at ${address}` : message);
    });
    for (let i = 0; i < count; i += 1) this.#open();
    this.#watchForNone();
  }

  /** Resolves with the reason when the server takes no connections any more. */
  get lost(): Promise<string> {
    return this.#lost.promise;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#withoutAny);
    for (const timer of [...this.#opening, ...this.#retries]) clearTimeout(timer);
    for (const socket of this.#live) socket.destroy();
  }

  #open(): void {
    this.#opening.push(
      setTimeout(() => {
        this.#opening.shift();
        this.#open();
      }, OPEN_WITHIN_MS),
    );
    this.cluster.open();
  }

  #opened(socket: Socket): void {
    clearTimeout(this.#opening.shift());
    if (this.#isClosed || this.#live.size >= this.count) {
      socket.destroy();
      return;
    }
    const openedAt = performance.now();
    this.#live.add(socket);
    clearTimeout(this.#withoutAny);
    socket.setNoDelay(true); // a media message is far smaller than a packet
    socket.once('close', () => {
      this.#live.delete(socket);
      if (this.#isClosed) return;
      const isRefused = socket.bytesRead === 0 && performance.now() - openedAt < REFUSED_WITHIN_MS;
      this.#refusals = isRefused ? this.#refusals + 1 : 0;
      if (isRefused) this.#openIn(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#refusals, 10)));
      else this.#open();
      if (this.#live.size === 0) this.#watchForNone();
    });
  }

  #openIn(ms: number): void {
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#open();
    }, ms);
    this.#retries.add(timer);
  }

  #watchForNone(): void {
    clearTimeout(this.#withoutAny);
    this.#withoutAny = setTimeout(() => this.#lose('all its connections have ended'), MOST_WITHOUT_MS);
  }

  #lose(reason: string): void {
    if (!this.#isClosed) this.#lost.resolve(reason);
  }
}
