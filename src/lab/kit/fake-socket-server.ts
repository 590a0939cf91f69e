import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { closeWebSockets } from '../../sandbox/network/web-sockets.js';

/** What clients get in place of a connection. */
export interface FakeRefusal {
  /** As of HTTP. */
  readonly status: number;
  readonly message: string;
  /** When the client may come again, in seconds: `Retry-After`. */
  readonly retryAfterS?: number | undefined;
}

/** What all fake providers with sockets have: a server on loopback, and the troubles of real ones. */
export abstract class FakeSocketServer implements AsyncDisposable {
  /** What every client gets instead of a connection. @internal */
  protected refusal: FakeRefusal | undefined;
  /** Nothing is said. */
  protected isMute = false;
  /** The connections, also those that are not accepted yet. */
  protected readonly connected = new Set<Duplex>();
  readonly #server = createServer((request, response) => this.answer(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  protected constructor() {
    this.#server.on('upgrade', (request, socket, head) => {
      this.connected.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.connected.delete(socket));
      void this.upgrade(request, socket, head);
    });
  }

  /** Base address, such as `http://127.0.0.1:40123`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.clients.size;
  }

  /** From now on refuses to connect, such as with 401 or 503. @param retryAfterS seconds, of `Retry-After`. Default: none */
  refuse(status: number, message: string, retryAfterS?: number): void {
    this.refusal = { status, message, retryAfterS };
  }

  /** From now on accepts connections and takes what they send, and says nothing. */
  fallSilent(): void {
    this.isMute = true;
  }

  /** Ends {@link refuse} and {@link fallSilent}. */
  recover(): void {
    this.refusal = undefined;
    this.isMute = false;
  }

  /** Cuts every connection that there is, without a word. */
  dropConnections(): void {
    for (const socket of this.connected) socket.destroy();
  }

  /** Goes away: closes everything and accepts nothing any more. May be called twice. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closeWebSockets(this.#sockets);
    this.dropConnections();
    await closed;
  }

  /** For `await using`: closes it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Takes connections from now on, on a free port of 127.0.0.1. */
  protected async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** A client asks for a socket: accepts or refuses it. */
  protected abstract upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void | Promise<void>;

  /** Gives the client its socket. @param use what serves it */
  protected acceptUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    use: (client: WebSocket) => void,
  ): void {
    this.#sockets.handleUpgrade(request, socket, head, use);
  }

  /** A client asks for something else than a socket. */
  protected answer(_request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(404).end();
  }

  /** Refuses it, in the provider's words. @param fields become the JSON of the answer */
  protected refuseUpgrade(socket: Duplex, status: number, fields: object): void {
    const body = JSON.stringify(fields);
    const retryAfterS = this.refusal?.retryAfterS;
    const retryAfter = retryAfterS === undefined ? '' : `Retry-After: ${retryAfterS}\r\n`;
    socket.end(
      `HTTP/1.1 ${status} Refused\r\nConnection: close\r\n${retryAfter}Content-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }
}
