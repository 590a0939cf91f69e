import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** `request`: the write does not reach the far end; `answer`: it does, and the client does not hear of it. */
export type Loss = 'request' | 'answer';

export interface Cut {
  /** Which write is lost, from 1. */
  readonly at: number;
  readonly loss: Loss;
  /** Nothing comes through after it, as for a client that was killed. */
  readonly isForGood: boolean;
  /** Called when the write has come and is lost. */
  readonly onLost?: () => void;
}

/** Stands between a client and an HTTP API on loopback, and loses a write (anything but a GET). */
export class CuttingProxy implements AsyncDisposable {
  /** Method and path of every write that came since the latest cut was set, the lost ones among them. */
  readonly writes: string[] = [];
  #isDown = false;
  readonly #server = http.createServer((request, response) => void this.#forward(request, response));

  #cut: Cut = { at: 0, loss: 'request', isForGood: false };

  private constructor(private readonly target: string) {}

  /** @param target origin of the API */
  static async listen(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Passes everything on from now, until the write that is to be lost. */
  cut(cut: Cut): void {
    this.#cut = cut;
    this.#isDown = false;
    this.writes.length = 0;
  }

  /** Whether the write that was to be lost has come. */
  get hasCut(): boolean {
    return this.writes.length >= this.#cut.at;
  }

  async #forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    if (this.#isDown) return void request.socket.destroy();
    const isWrite = request.method !== 'GET';
    if (isWrite) this.writes.push(`${request.method} ${request.url?.replace(/^.*\/Account\/\w+\//, '')}`);
    const isLost = isWrite && this.writes.length === this.#cut.at;
    if (isLost) this.#isDown = this.#cut.isForGood;
    if (isLost && this.#cut.loss === 'request') return this.#lose(request);
    const answer = await fetch(`${this.target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: passedOn(request.headers),
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    if (isLost) return this.#lose(request);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  }

  #lose(request: http.IncomingMessage): void {
    request.socket.destroy();
    this.#cut.onLost?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** What the request is about, and not how it travels. */
const passedOn = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name)
        ? [[name, value]]
        : [],
    ),
  );
