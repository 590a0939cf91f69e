import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between a process and the provider, and sees the requests that change something. */
export class WriteCounter implements AsyncDisposable {
  writes = 0;
  /** Called before a write is passed on, which it is not where this returns false, and before its answer is. */
  at: (write: number, moment: 'before' | 'after') => boolean | Promise<boolean> = () => true;
  readonly #server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { method = '', url = '', headers } = request;
    const write = method === 'GET' ? 0 : ++this.writes;
    if (write > 0 && !(await this.at(write, 'before'))) return;
    const answer = await fetch(this.target + url, {
      method,
      headers: {
        authorization: headers.authorization ?? '',
        'content-type': headers['content-type'] ?? 'application/json',
      },
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    if (write > 0 && !(await this.at(write, 'after'))) return;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });

  private constructor(private readonly target: string) {}

  static async start(target: string): Promise<WriteCounter> {
    const counter = new WriteCounter(target);
    await once(counter.#server.listen(0, '127.0.0.1'), 'listening');
    return counter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** No request reaches the provider any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
