import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** `request`: the write does not reach the far end; `answer`: it does, and nobody hears of it. */
export type Loss = 'request' | 'answer';

/** Stands between a client and an HTTP API on loopback, and loses a write (anything but a GET). */
export class CuttingProxy implements AsyncDisposable {
  /** Method and path of every write that came, the lost ones among them. */
  readonly writes: string[] = [];
  #isDown = false;
  readonly #server = http.createServer((request, response) => void this.#forward(request, response));

  private constructor(
    private readonly target: string,
    private readonly cut: { at: number; loss: Loss; isForGood: boolean },
  ) {}

  /**
   * @param target origin of the API
   * @param cut `at`: which write is lost, from 1; `isForGood`: nothing comes through after it, as for a client that was killed
   */
  static async listen(target: string, cut: { at: number; loss: Loss; isForGood: boolean }): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, cut);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether the write that was to be lost has come. */
  get hasCut(): boolean {
    return this.writes.length >= this.cut.at;
  }

  async #forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    if (this.#isDown) return void request.socket.destroy();
    const isWrite = request.method !== 'GET';
    if (isWrite) this.writes.push(`${request.method} ${request.url?.replace(/^.*\/Account\/\w+\//, '')}`);
    const isLost = isWrite && this.writes.length === this.cut.at;
    if (isLost) this.#isDown = this.cut.isForGood;
    if (isLost && this.cut.loss === 'request') return void request.socket.destroy();
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const answer = await fetch(`${this.target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    if (isLost) return void request.socket.destroy();
    response.writeHead(answer.status).end(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
