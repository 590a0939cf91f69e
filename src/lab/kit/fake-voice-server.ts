import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { answerOverHttp, type FakeSpeechOrder } from './fake-http-speech.js';
import { type FakeRequest, requestOf } from './fake-request.js';
import { FakeSocketServer } from './fake-socket-server.js';
import { type FakeChunk, type FakeEncoding, type FakeVoiceOptions, fakeChunks } from './fake-speech.js';

/** A text that was asked for. */
export interface FakeSpeechRequest {
  readonly text: string;
  /** The client's name for what it belongs to; empty where the provider has none. */
  readonly stream: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Something that was not wanted any more. */
export interface FakeSpeechCancel {
  readonly stream: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Fields of a request for speech. */
export type SpeechFields = Readonly<Record<string, unknown>>;

/** What one connection does with the messages of its client. */
export type OnMessage = (fields: Readonly<Record<string, unknown>>) => void;

/** What all fake voices have beside their server: a record of what was asked, and speech. */
export abstract class FakeVoiceServer extends FakeSocketServer {
  /** Every text that was asked for, in order. */
  readonly requests: FakeSpeechRequest[] = [];
  /** Every time a client wanted no more of something, in order. */
  readonly cancels: FakeSpeechCancel[] = [];
  /** Every message of every client, in order. */
  readonly messages: Array<Readonly<Record<string, unknown>>> = [];
  /** What clients asked for when they connected, in order; refused ones too. */
  readonly connections: FakeRequest[] = [];

  protected constructor(protected readonly options: FakeVoiceOptions) {
    super();
  }

  /** The key of a client that connects. */
  protected abstract keyOf(request: IncomingMessage): string | undefined;

  /** Whether the provider has this path. */
  protected abstract isPath(path: string): boolean;

  /** A client has connected. */
  protected abstract accept(socket: WebSocket, request: FakeRequest): OnMessage;

  /** Tells the client of an error, and does what the provider does then. */
  protected abstract fail(socket: WebSocket, stream: string, message: string, status: number | undefined): void;

  /** What a request over HTTP asks for; a text: what is wrong with it. Default: the provider has no such path. */
  protected orderOf(_path: string, _query: URLSearchParams, _body: SpeechFields): FakeSpeechOrder | string | undefined {
    return undefined;
  }

  /** The provider's words over HTTP, as fields of JSON. */
  protected wordsOf(message: string): object {
    return { message };
  }

  /** Serves a connection that was accepted here or elsewhere. */
  protected serve(socket: WebSocket, request: FakeRequest): void {
    const onMessage = this.accept(socket, request);
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => {
      const fields = JSON.parse(data.toString());
      this.messages.push(fields);
      onMessage(fields);
    });
  }

  /** Notes that a client wants no more of something. */
  protected cancelled(stream: string): void {
    this.cancels.push({ stream, at: performance.now() });
  }

  /**
   * Speaks a text as it was told to: `send` gets its audio.
   * @returns whether it was spoken to its end
   */
  protected speak(
    socket: WebSocket,
    { text, stream, sampleRate, encoding, signal }: FakeUtterance,
    send: (chunk: FakeChunk) => void,
  ): boolean | Promise<boolean> {
    const reply = this.options.reply?.(text, this.requests.length) ?? 'speak';
    this.requests.push({ text, stream, at: performance.now() });
    if (reply === 'hang' || this.isMute) return false;
    if (typeof reply === 'object' && 'error' in reply) {
      this.fail(socket, stream, reply.error, reply.status);
      return false;
    }
    const chunks = fakeChunks(text, sampleRate, encoding, this.options);
    const dropAfterMs = typeof reply === 'object' ? reply.dropAfterMs : Number.POSITIVE_INFINITY;
    const kept = chunks.filter(({ startMs }) => startMs < dropAfterMs);
    const end = () => {
      if (kept.length < chunks.length) socket.terminate();
      return kept.length === chunks.length && !signal.aborted;
    };
    const { firstByteMs = 0, betweenChunksMs = 0 } = this.options;
    if (firstByteMs === 0 && betweenChunksMs === 0) {
      for (const chunk of kept) send(chunk);
      return end();
    }
    return this.#slowly(kept, signal, send).then(end);
  }

  async #slowly(chunks: readonly FakeChunk[], signal: AbortSignal, send: (chunk: FakeChunk) => void): Promise<void> {
    const { firstByteMs = 0, betweenChunksMs = 0 } = this.options;
    for (const [index, chunk] of chunks.entries()) {
      await sleep(index === 0 ? firstByteMs : betweenChunksMs);
      send(chunk);
      // What is on its way when a client changes its mind still arrives.
      if (signal.aborted) return;
    }
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): void {
    const { path, ...asked } = requestOf(request);
    this.connections.push(asked);
    const refusal = this.refusal ?? this.#keyRefusalOf(request);
    const orderOf = (body: SpeechFields) => {
      const order = request.method === 'POST' ? this.orderOf(path, asked.query, body) : undefined;
      if (typeof order === 'object') this.requests.push({ text: order.text, stream: '', at: performance.now() });
      return order;
    };
    const wordsOf = (message: string) => this.wordsOf(message);
    const { options, isMute, requests } = this;
    const count = requests.length;
    void answerOverHttp(request, response, { options, isMute, refusal, count, orderOf, wordsOf });
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path, ...asked } = requestOf(request);
    this.connections.push(asked);
    const refusal = this.refusal ?? this.#refusalOf(request, path);
    if (refusal) this.refuseUpgrade(socket, refusal.status, { message: refusal.message });
    else this.acceptUpgrade(request, socket, head, (client) => this.serve(client, asked));
  }

  #refusalOf(request: IncomingMessage, path: string): typeof this.refusal {
    const refusal = this.#keyRefusalOf(request);
    if (refusal) return refusal;
    return this.isPath(path) ? undefined : { status: 404, message: 'Not found.' };
  }

  #keyRefusalOf(request: IncomingMessage): typeof this.refusal {
    const key = this.keyOf(request);
    const isKnown = key && (this.options.apiKey === undefined || key === this.options.apiKey);
    return isKnown ? undefined : { status: 401, message: 'Invalid API key.' };
  }
}

/** A text and how it is to be spoken. */
export interface FakeUtterance {
  readonly text: string;
  readonly stream: string;
  /** Hertz. */
  readonly sampleRate: number;
  readonly encoding: FakeEncoding;
  /** Aborted when the client wants no more of it. */
  readonly signal: AbortSignal;
}

/** Does one thing after the other; at once when it is idle. */
export class FakeQueue {
  #last: Promise<void> | undefined;

  add(work: () => void | Promise<void>): void {
    if (this.#last) this.#last = this.#last.then(work);
    else {
      const done = work();
      if (!done) return;
      this.#last = done;
    }
    const mine = this.#last;
    void mine?.then(() => {
      if (this.#last === mine) this.#last = undefined;
    });
  }
}
