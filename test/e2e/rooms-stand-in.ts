import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SentRequest } from './provider-line.js';

/** What the provider says in place of doing what was asked for (rooms reference 1.1). */
export interface StandInRefusal {
  readonly status: number;
  readonly error: string;
  readonly info: string;
}

/** The sandbox's own rooms, which are no pages only. */
export const SANDBOX = Symbol('rooms of the sandbox');

/**
 * A room provider like a real one: its rooms are web pages, for people to join with a browser. Its REST API is the sandbox's, which
 * answers behind it.
 */
export class RoomsStandIn implements AsyncDisposable {
  /** Requests that may have changed something. */
  readonly writes: SentRequest[] = [];
  /** Where its rooms are, in place of its own pages. */
  roomUrl: string | typeof SANDBOX | undefined;
  /** @param fields those of the request */
  refuses: (sent: SentRequest, fields: string) => StandInRefusal | undefined = () => undefined;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  /** @param apiUrl of the sandbox */
  static async before(apiUrl: string): Promise<RoomsStandIn> {
    const standIn = new RoomsStandIn(apiUrl);
    await once(standIn.#server.listen(0, '127.0.0.1'), 'listening');
    return standIn;
  }

  private constructor(private readonly behind: string) {}

  get apiUrl(): string {
    return this.#origin + new URL(this.behind).pathname;
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = { method: request.method ?? '', path: request.url ?? '' };
    if (!sent.path.startsWith(new URL(this.behind).pathname)) {
      const page = '<!doctype html><title>Join the meeting</title>';
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    if (sent.method !== 'GET' && sent.method !== 'HEAD') this.writes.push(sent);
    const refusal = this.refuses(sent, String(body));
    const { status, text } = refusal
      ? { status: refusal.status, text: JSON.stringify({ error: refusal.error, info: refusal.info }) }
      : await this.#ask(sent, request, body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(this.#moved(text));
  }

  async #ask({ method, path }: SentRequest, { headers }: IncomingMessage, body: Buffer) {
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const answer = await fetch(new URL(path, this.behind), {
      method,
      headers: { authorization, 'content-type': type },
      ...(body.length > 0 && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** The sandbox's rooms, moved to where they are said to be. */
  #moved(text: string): string {
    const { roomUrl } = this;
    if (roomUrl === SANDBOX) return text;
    const inSandbox = new RegExp(`"url":"${new URL(this.behind).origin}/([\\w-]+)"`, 'g');
    return text.replaceAll(inSandbox, (_, name) => `"url":"${roomUrl ?? `${this.#origin}/${name}`}"`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
