import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between localtunnel's waiting connections and the server on this machine. localtunnel connects to the server
 * long before a request comes; a server ends such silence with `408 Request Timeout` after some seconds, and the next
 * caller gets that for an answer. This relay waits, and connects to the server with the first byte. It also ends
 * connections softly where a bot's end breaks off, because localtunnel gives up a connection for good after a hard end.
 * @see https://github.com/localtunnel/server/issues/203
 */
export class PatientRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** @param port where the server listens on this machine */
  static async listen(port: number): Promise<PatientRelay> {
    const relay = new PatientRelay(port);
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  private constructor(port: number) {
    this.#server = createServer({ noDelay: true }, (waiting) => this.#admit(waiting, port));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #admit(waiting: Socket, port: number): void {
    this.#keep(waiting);
    waiting.on('error', () => {});
    waiting.once('data', (first) => {
      waiting.pause();
      const local = connect({ host: '127.0.0.1', port, noDelay: true });
      this.#keep(local);
      local.write(first);
      local.on('error', () => waiting.end());
      waiting.once('close', () => {
        if (!waiting.readableEnded) local.destroy(); // otherwise its last words are still on their way
      });
      waiting.pipe(local).pipe(waiting);
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
