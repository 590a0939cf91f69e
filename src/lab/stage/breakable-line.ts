import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP port on this machine that leads to another one, and can be broken: for the way between a provider and a runner. */
export class BreakableLine {
  readonly #sockets = new Set<Socket>();
  /** How often it is broken and not yet mended. */
  #breaks = 0;

  private constructor(private readonly server: Server) {}

  /** @param target address whose host and port it leads to */
  static async to(target: URL): Promise<BreakableLine> {
    const server = createServer();
    const line = new BreakableLine(server);
    server.on('connection', (socket) => line.#join(socket, target));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return line;
  }

  /** An address of the target, through this line. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return changed.href.replace(/\/$/, url.endsWith('/') ? '/' : '');
  }

  /** Breaks every connection, and refuses those that come, until each break is mended. */
  break(): void {
    this.#breaks += 1;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Mends one break. @returns whether that was the last one: connections hold again */
  mend(): boolean {
    this.#breaks -= 1;
    return this.#breaks === 0;
  }

  async close(): Promise<void> {
    this.break();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #join(incoming: Socket, { hostname, port }: URL): void {
    if (this.#breaks > 0) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(Number(port), hostname);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.#sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => {}); // followed by close
      one.once('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
