import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Proxies close a connection on which nothing comes for a minute, and a page takes silence for a broken connection. */
const HEARTBEAT_MS = 15_000;
/** What may wait for a subscriber, in bytes; one that reads more slowly is cut off, and may come again. */
const MAX_WAITING = 1_024 * 1_024;
/** How long a subscriber may take to read what waits. */
const READ_LIMIT_MS = 30_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // nginx would keep events back.
  'x-accel-buffering': 'no',
};

/** One who follows server-sent events. */
export class EventSubscriber {
  readonly #gone = new AbortController();

  /** Answers a request with a stream of events. */
  constructor(private readonly response: ServerResponse) {
    response.writeHead(200, HEADERS);
    response.flushHeaders();
    const heartbeat = setInterval(() => this.#write(':\n\n'), HEARTBEAT_MS);
    response.once('close', () => {
      clearInterval(heartbeat);
      this.#gone.abort();
    });
  }

  /** Aborted when the subscriber's connection is closed. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** @param data plain JSON */
  send(data: unknown, { event, id }: { event?: string; id?: number } = {}): void {
    const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
    this.#write(`${head}data: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the subscriber has read what waits for it, and when it is gone: one that reads nothing is cut off. */
  async read(): Promise<void> {
    if (this.#gone.signal.aborted || !this.response.writableNeedDrain) return;
    const limit = setTimeout(() => this.response.destroy(), READ_LIMIT_MS);
    await once(this.response, 'drain', { signal: this.#gone.signal }).catch(() => undefined);
    clearTimeout(limit);
  }

  end(): void {
    this.response.end();
  }

  #write(text: string): void {
    if (this.#gone.signal.aborted || this.response.writableEnded) return;
    this.response.write(text);
    if (this.response.writableLength > MAX_WAITING) this.response.destroy();
  }
}

/** Pages follow the runner and one call each. */
const MAX_SUBSCRIBERS = 64;

/** Those who follow events of this runner. */
export class EventSubscribers {
  #count = 0;

  /**
   * Answers a request with a stream of events.
   * @returns undefined for a question about the head only, for one who has left before the answer, and where there are too many: those are
   *   refused with 503
   */
  add(response: ServerResponse): EventSubscriber | undefined {
    if (response.req.method === 'HEAD') {
      response.writeHead(200, HEADERS).end();
      return undefined;
    }
    if (response.closed) return undefined; // nothing would end what begins now
    if (this.#count >= MAX_SUBSCRIBERS) {
      response.writeHead(503, { 'retry-after': '5' }).end();
      return undefined;
    }
    this.#count += 1;
    response.once('close', () => {
      this.#count -= 1;
    });
    return new EventSubscriber(response);
  }
}
