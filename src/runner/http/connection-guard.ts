import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionGuardOptions {
  /** Connections one address may have open before any of them has shown who it is; at least 1. Default 256. */
  maxUnknownPerAddress?: number;
  /** Whether the whole world comes from this address by right, so that it has no limit: a reverse proxy keeps its own. */
  isProxy?: (address: string) => boolean;
}

const IPV6_GROUPS = 8;
/** What one subscriber gets is a /64, so that is what counts as one address. See RFC 6177. */
const IPV6_NETWORK_GROUPS = 4;

/**
 * Keeps strangers from filling the server. Of the connections on which nothing has been verified yet, one address gets
 * a limited number; one more pushes out the oldest that is not being answered right now. The oldest and not the newest:
 * behind a tunnel the whole world comes from one address, and there the provider's fresh request has to get through.
 */
export class ConnectionGuard {
  /** By address, oldest first, each with the answer to its latest request. */
  readonly #unknown = new Map<string, Map<Socket, ServerResponse | undefined>>();
  readonly #addresses = new WeakMap<Socket, string>();
  readonly #max: number;
  readonly #isProxy: (address: string) => boolean;

  constructor({ maxUnknownPerAddress = 256, isProxy = () => false }: ConnectionGuardOptions = {}) {
    this.#max = maxUnknownPerAddress;
    this.#isProxy = isProxy;
  }

  /** Watches all connections of a server from now on. */
  attach(server: Server): void {
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.prependListener('request', ({ socket }, response) => this.#note(socket, response));
  }

  /** A request on this connection has been verified: it counts no longer and may stay. */
  trust(socket: Socket): void {
    this.#forget(socket);
  }

  #admit(socket: Socket): void {
    if (this.#isProxy(socket.remoteAddress ?? '')) return;
    const address = networkOf(socket.remoteAddress ?? '');
    const connections = this.#unknown.get(address) ?? new Map<Socket, ServerResponse | undefined>();
    this.#unknown.set(address, connections.set(socket, undefined));
    this.#addresses.set(socket, address);
    socket.once('close', () => this.#forget(socket));
    if (connections.size > this.#max) this.#evictOldest(connections);
  }

  #note(socket: Socket, response: ServerResponse): void {
    const address = this.#addresses.get(socket);
    if (address !== undefined) this.#unknown.get(address)?.set(socket, response); // keeps its place in the order
  }

  /** The newcomer is not being answered yet, so there is always one; and the search is never longer than the limit. */
  #evictOldest(connections: ReadonlyMap<Socket, ServerResponse | undefined>): void {
    for (const [socket, response] of connections) {
      if (isBeingAnswered(response)) continue;
      this.#forget(socket);
      socket.destroy();
      return;
    }
  }

  #forget(socket: Socket): void {
    const address = this.#addresses.get(socket);
    if (address === undefined) return;
    this.#addresses.delete(socket);
    const connections = this.#unknown.get(address);
    connections?.delete(socket);
    if (connections?.size === 0) this.#unknown.delete(address);
  }
}

/** Not before the whole request is here: a body that never ends protects no connection. */
function isBeingAnswered(response: ServerResponse | undefined): boolean {
  return response?.req.complete === true && !response.writableFinished;
}

/** What counts as one address: an IPv4 address, also in its IPv6 form, or the first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - head.length - tail.length)).fill('0');
  return [...head, ...zeros, ...tail].slice(0, IPV6_NETWORK_GROUPS).join(':');
}
