import { connect, type Socket } from 'node:net';
import { deferred } from '../async/deferred.js';
import { relayFromFirstByte } from './patient-relay.js';

/** The server has refused a connection that ends sooner than this without a byte, in milliseconds. */
const REFUSED_WITHIN_MS = 1_000;
/** A connection that is neither open nor refused after this time is tried again, in milliseconds. */
const OPEN_WITHIN_MS = 15_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
/** Longest time without any connection before the tunnel counts as lost, in milliseconds. */
const MOST_WITHOUT_MS = 3_000;

export interface LocaltunnelConnectionsOptions {
  /** Where the localtunnel server takes connections. */
  readonly host: string;
  readonly port: number;
  /** TCP port on this machine that requests go to. */
  readonly localPort: number;
  /** How many connections wait for requests or serve them, 1 or more. */
  readonly count: number;
}

/** Keeps a number of connections to a localtunnel server waiting for requests: each serves one, then a fresh one takes its place. */
export class LocaltunnelConnections {
  readonly #lost = deferred<string>();
  readonly #sockets = new Set<Socket>();
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #options: LocaltunnelConnectionsOptions;
  #open = 0;
  #withoutAny: NodeJS.Timeout | undefined;
  #refusals = 0;
  #isClosed = false;

  constructor(options: LocaltunnelConnectionsOptions) {
    this.#options = options;
    for (let i = 0; i < options.count; i += 1) this.#connect();
    this.#watchForNone();
  }

  /** Resolves with the reason when the server takes no connections any more. */
  get lost(): Promise<string> {
    return this.#lost.promise;
  }

  /** Ends every connection; safe to call twice. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#withoutAny);
    for (const timer of this.#retries) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): void {
    const { host, port, localPort } = this.#options;
    const remote = connect({ host, port, noDelay: true, keepAlive: true }); // a media message is far smaller than a packet
    this.#sockets.add(remote);
    const givesUp = setTimeout(() => remote.destroy(), OPEN_WITHIN_MS);
    let openedAt: number | undefined;
    remote.once('connect', () => {
      openedAt = performance.now();
      this.#open += 1;
      clearTimeout(givesUp);
      clearTimeout(this.#withoutAny);
      relayFromFirstByte(remote, localPort);
    });
    remote.on('error', (error: NodeJS.ErrnoException) => {
      const isRefused = openedAt === undefined && error.code === 'ECONNREFUSED';
      if (isRefused) this.#lose(`its server refuses connections at ${host}:${port}`);
    });
    remote.once('close', () => {
      clearTimeout(givesUp);
      this.#sockets.delete(remote);
      if (openedAt !== undefined) this.#open -= 1;
      if (this.#isClosed) return;
      this.#replace(
        openedAt === undefined || (remote.bytesRead === 0 && performance.now() - openedAt < REFUSED_WITHIN_MS),
      );
      if (openedAt !== undefined && this.#open === 0) this.#watchForNone();
    });
  }

  #replace(isRefused: boolean): void {
    this.#refusals = isRefused ? this.#refusals + 1 : 0;
    const pauseMs = isRefused ? Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#refusals, 10)) : 0;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#connect();
    }, pauseMs);
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
