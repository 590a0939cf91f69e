import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A public name that leads to a port of this machine, and can be taken away with everything that goes through it. */
export class LoopbackTunnel implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  static async open(target: number): Promise<LoopbackTunnel> {
    const tunnel = new LoopbackTunnel(target);
    await tunnel.comeBack();
    return tunnel;
  }

  private constructor(private readonly target: number) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Connections that go through it now. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  /** Breaks every connection, and takes no more. */
  async breakDown(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const closed = server && once(server, 'close');
    server?.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Leads there again, by default under another name. */
  async comeBack(as: 'moved' | 'same' = 'moved'): Promise<void> {
    const port = as === 'same' ? this.#port : 0;
    const server = createServer((from) => this.#forward(from));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.breakDown();
  }

  #forward(from: Socket): void {
    const to = connect(this.target, '127.0.0.1');
    const pair = [from, to] as const;
    for (const socket of pair) {
      this.#sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
      socket.once('close', () => {
        this.#sockets.delete(socket);
        for (const side of pair) side.destroy();
      });
    }
    from.pipe(to).pipe(from);
  }
}
