import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { deferred } from '../../base/async/deferred.js';
import { type FakeModelMessage, type FakeModelReply, type FakeModelRequest, piecesOf } from './fake-model-reply.js';
import { chatWire, type ModelWire, responsesWire } from './fake-model-wire.js';

/**
 * What the model says: the same every time; a list, in order, whose last is then repeated; or a function of what it was
 * sent.
 */
export type FakeModelScript =
  | FakeModelReply
  | readonly FakeModelReply[]
  | ((messages: readonly FakeModelMessage[], request: FakeModelRequest) => FakeModelReply | Promise<FakeModelReply>);

/** What a {@link FakeLanguageModel} answers. */
export interface FakeLanguageModelOptions {
  replies: FakeModelScript;
  /** Refuses requests with another API key, as OpenAI does. Default: any key will do. */
  apiKey?: string | undefined;
}

const WIRES: Readonly<Record<string, ModelWire>> = {
  '/v1/chat/completions': chatWire,
  '/v1/responses': responsesWire,
};

/**
 * A scripted language model behind a real HTTP server on loopback, which speaks both of OpenAI's streaming interfaces:
 *
 * ```ts
 * await using fake = await FakeLanguageModel.start({ replies: { text: 'Hello, this is the bakery.' } });
 * const model = createOpenAI({ baseURL: fake.url, apiKey: 'any' }).chat('fake');
 * ```
 */
export class FakeLanguageModel implements AsyncDisposable {
  /** All requests so far, in order. */
  readonly requests: FakeModelRequest[] = [];
  readonly #server: Server;
  readonly #options: FakeLanguageModelOptions;
  readonly #waiting: Array<() => void> = [];
  readonly #closing = new AbortController();

  private constructor(server: Server, options: FakeLanguageModelOptions) {
    this.#server = server;
    this.#options = options;
    server.on('request', (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeLanguageModelOptions): Promise<FakeLanguageModel> {
    const server = createServer();
    const fake = new FakeLanguageModel(server, options);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return fake;
  }

  /** Base address for a client, such as `http://127.0.0.1:41234/v1`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Resolves with a request when it has come in. @param index counts from 0 */
  async request(index: number): Promise<FakeModelRequest> {
    for (;;) {
      const request = this.requests[index];
      if (request) return request;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Breaks off every answer and closes the server. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** For `await using`: closes it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '';
    const wire = WIRES[path];
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    if (incoming.method !== 'POST' || !wire) return refuse(response, 404, `Invalid URL (${incoming.method} ${path})`);
    const { apiKey } = this.#options;
    if (apiKey !== undefined && incoming.headers.authorization !== `Bearer ${apiKey}`) {
      return refuse(response, 401, 'Incorrect API key provided.', 'invalid_api_key');
    }
    const body = JSON.parse(Buffer.concat(parts).toString());
    const request = this.#record(path, body, wire, response);
    const number = this.requests.length;
    await send(await this.#reply(request), { number, body, wire, response, signal: this.#closing.signal });
  }

  #record(path: string, body: Record<string, unknown>, wire: ModelWire, response: ServerResponse): FakeModelRequest {
    const ended = deferred<boolean>();
    const request = {
      path,
      body,
      messages: wire.messages(body),
      tools: wire.tools(body),
      receivedAt: performance.now(),
      abortedAt: undefined as number | undefined,
      ended: ended.promise,
    };
    // `errored` is set when this side destroyed the connection
    response.once('close', () => {
      const wasAborted = !response.writableFinished && !response.errored && !this.#closing.signal.aborted;
      if (wasAborted) request.abortedAt = performance.now();
      ended.resolve(wasAborted);
    });
    this.requests.push(request);
    for (const wake of this.#waiting.splice(0)) wake();
    return request;
  }

  async #reply(request: FakeModelRequest): Promise<FakeModelReply> {
    const { replies } = this.#options;
    if (typeof replies === 'function') return replies(request.messages, request);
    if (!isList(replies)) return replies;
    return replies[this.requests.indexOf(request)] ?? replies.at(-1) ?? {};
  }
}

const isList = (replies: FakeModelReply | readonly FakeModelReply[]): replies is readonly FakeModelReply[] =>
  Array.isArray(replies);

interface Delivery {
  /** Counts the requests, from 1. */
  number: number;
  body: Record<string, unknown>;
  wire: ModelWire;
  response: ServerResponse;
  signal: AbortSignal;
}

async function send(reply: FakeModelReply, { number, body, wire, response, signal }: Delivery): Promise<void> {
  const { delayMs = 0, tokenDelayMs = 0, status, error, breakOffAfter = Number.POSITIVE_INFINITY, hang } = reply;
  if (delayMs > 0) await wait(delayMs, undefined, { signal });
  if (response.destroyed) return;
  if (status !== undefined && reply.retryAfterS !== undefined) response.setHeader('retry-after', reply.retryAfterS);
  if (status !== undefined) return refuse(response, status, error ?? 'The fake model was told to refuse this.');
  const pieces = piecesOf(reply);
  if (hang && pieces.length === 0) return;

  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.write(wire.start(String(body.model)));
  for (const [index, piece] of pieces.entries()) {
    if (index >= breakOffAfter) break;
    if (tokenDelayMs > 0 && index > 0) await wait(tokenDelayMs, undefined, { signal });
    if (response.destroyed) return;
    response.write(wire.piece(piece));
  }
  if (breakOffAfter <= pieces.length) {
    await new Promise((resolve) => setImmediate(resolve));
    response.destroy(new Error('broken off by the script'));
  } else if (!hang) {
    const ids = (reply.toolCalls ?? []).map((_, index) => `call_${number}_${index}`);
    response.end(error === undefined ? wire.end(reply, ids) : wire.error(error));
  }
}

function refuse(response: ServerResponse, status: number, message: string, code: string | null = null): void {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type, param: null, code } }));
}
