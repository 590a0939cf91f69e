import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is asked of a provider. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
}

/**
 * Stands between the runners and the API of their provider. Until it opens, the provider is overloaded for some of what is asked of it
 * (503); everything else passes.
 */
export class ApiGate implements AsyncDisposable {
  /** @param isHeldBack what is answered with 503 while the gate is closed */
  static async start(isHeldBack: (asked: ApiRequest) => boolean): Promise<ApiGate> {
    const gate = new ApiGate(isHeldBack);
    gate.#server.listen(0, '127.0.0.1');
    await once(gate.#server, 'listening');
    return gate;
  }

  /** What was held back and has been let through since, by its path, and when it was answered: milliseconds of the monotonic clock. */
  readonly passed = new Map<string, number>();
  readonly #heldBack = new Set<string>();
  readonly #server = createServer((asked, answer) => this.#answer(asked, answer));
  #apiUrl = '';
  #isOpen = false;

  private constructor(private readonly isHeldBack: (asked: ApiRequest) => boolean) {}

  /** How many different requests are held back, or were. */
  get heldBack(): number {
    return this.#heldBack.size;
  }

  /** Leads to an API. @returns the address that the runners use instead */
  leadTo(apiUrl: string): string {
    this.#apiUrl = apiUrl;
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${new URL(apiUrl).pathname.replace(/\/$/, '')}`;
  }

  open(): void {
    this.#isOpen = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  #answer(asked: IncomingMessage, answer: ServerResponse): void {
    const { method = 'GET', url: target = '/', headers } = asked;
    const isWatched = this.isHeldBack({ method, target });
    if (isWatched && !this.#isOpen) {
      this.#heldBack.add(target);
      asked.resume();
      answer.writeHead(503).end();
      return;
    }
    const { host: _, ...passed } = headers;
    const onward = request(new URL(target, this.#apiUrl), { method, headers: passed }, (answered) => {
      const { statusCode = 502 } = answered;
      if (isWatched && this.#heldBack.has(target) && statusCode < 500) this.passed.set(target, performance.now());
      answer.writeHead(statusCode, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  }
}
