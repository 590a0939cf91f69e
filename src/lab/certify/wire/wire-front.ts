import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { listen, localUrlOf } from '../../../runner/http/listen.js';
import { PROVIDER_PATH } from '../../../runner/http/webhook-addresses.js';
import { closeAs, opened } from './relayed-socket.js';

/** A request of the provider, and what the runner has answered. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly status: number;
  readonly answer: Buffer;
  /** When it came, by `performance.now()`. */
  readonly beganAt: number;
}

/** A media stream of the provider: told as it goes on. */
export interface SeenStream {
  said(direction: 'in' | 'out', message: string | Buffer): void;
  /** @param by who has closed it: the provider (`in`) or the runner (`out`). 1006 is a connection that broke off, 1005 a close without a code */
  closed(by: 'in' | 'out', code: number): void;
}

/** What is told of all that the provider sends. */
export interface WireWitness {
  requested(seen: SeenRequest): void;
  /** @param status 101 when the runner has let it in */
  opened(upgrade: Pick<SeenRequest, 'path' | 'headers' | 'status'>): SeenStream;
}

/** Headers of one connection, or that `ws` writes itself. */
const OWN_HEADERS = /^(connection|upgrade|sec-websocket-(key|version|extensions))$/i;
/** Of a request or an answer that is kept, in bytes; prompts are longer, and of no interest behind that. */
const MAX_KEPT_BYTES = 256 * 1_024;

/**
 * Stands where a runner would listen, passes all on to it byte for byte, and tells of what the provider says there. Names of hosts,
 * forwarding headers and close codes stay as they came, so that signatures hold and the runner sees what it would see.
 */
export class WireFront implements AsyncDisposable {
  readonly #streams = new WebSocketServer({ noServer: true, perMessageDeflate: false, autoPong: false });
  readonly #server = createServer((request, response) => this.#pass(request, response));
  /** The runner: `http://127.0.0.1:<port>`. Nothing is passed on before it is known. */
  #runner: URL | undefined;

  /** @param others so many ports after this one may be taken in its place. @throws VoicebotError VB_PORT_IN_USE */
  static async open(
    { host, port, otherPorts = 0 }: { readonly host: string; readonly port: number; readonly otherPorts?: number },
    witness: WireWitness,
  ): Promise<WireFront> {
    const front = new WireFront(witness);
    await listen(front.#server, port, host, otherPorts);
    return front;
  }

  private constructor(private readonly witness: WireWitness) {
    this.#server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => {}); // shows as the close
      this.#connect(request, socket, head).catch(() => socket.destroy());
    });
  }

  get url(): string {
    return localUrlOf(this.#server.address() as AddressInfo);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on all goes to the runner there. */
  leadTo(url: string): void {
    this.#runner = new URL(url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#streams.clients) socket.terminate();
    this.#streams.close();
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/', headers, rawHeaders } = request;
    const beganAt = performance.now();
    if (!this.#runner) return void response.writeHead(503, { 'retry-after': '1' }).end();
    const isProviders = PROVIDER_PATH.test(path);
    const [asked, answered] = [keeper(), keeper()];
    const { hostname, port } = this.#runner;
    const passed = httpRequest({ hostname, port, method, path, headers: rawHeaders as never, setHost: false });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy()); // also when the runner goes on, as with events
    request.on('data', asked.take).pipe(passed);
    passed.once('response', (answer: IncomingMessage) => {
      const { statusCode: status = 502 } = answer;
      response.writeHead(status, answer.statusMessage, answer.rawHeaders);
      answer.on('data', answered.take).pipe(response);
      answer.once('end', () => {
        if (!isProviders) return;
        const bodies = { body: asked.kept(), answer: answered.kept() };
        this.witness.requested({ method, path, headers, status, beganAt, ...bodies });
      });
    });
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { url: path = '/', headers } = request;
    if (!this.#runner) return void socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n');
    const runner = this.#dial(request, this.#runner);
    // What it says before the provider is connected waits.
    const early: Array<[RawData, boolean]> = [];
    const keep = (data: RawData, isBinary: boolean) => void early.push([data, isBinary]);
    runner.on('message', keep);
    const status = await opened(runner);
    if (!PROVIDER_PATH.test(path)) return this.#join(request, socket, head, { runner, early, keep, status });
    const stream = this.witness.opened({ path, headers, status });
    this.#join(request, socket, head, { runner, early, keep, status, stream });
  }

  #join(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    { runner, early, keep, status, stream }: Joining,
  ): void {
    if (status !== 101) {
      const words = `HTTP/1.1 ${status || 502} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
      return void socket.end(words);
    }
    this.#streams.handleUpgrade(request, socket, head, (provider) => {
      runner.off('message', keep);
      relay(provider, runner, 'in', stream);
      relay(runner, provider, 'out', stream);
      for (const [data, isBinary] of early) runner.emit('message', data, isBinary);
    });
  }

  #dial({ url: path = '/', rawHeaders, headers }: IncomingMessage, { hostname, port }: URL): WebSocket {
    const passedOn: Record<string, string | string[]> = {};
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      if (!OWN_HEADERS.test(name) && !/^sec-websocket-protocol$/i.test(name))
        passedOn[name] = headers[name.toLowerCase()] ?? '';
    }
    const protocols = headers['sec-websocket-protocol']?.split(/\s*,\s*/) ?? [];
    const options = { headers: passedOn, perMessageDeflate: false, autoPong: false, maxPayload: 0 };
    return new WebSocket(`ws://${hostname}:${port}${path}`, protocols, options);
  }
}

interface Joining {
  readonly runner: WebSocket;
  readonly early: ReadonlyArray<readonly [RawData, boolean]>;
  readonly keep: (data: RawData, isBinary: boolean) => void;
  readonly status: number;
  readonly stream?: SeenStream;
}

/** Passes on what one side says, and that it is gone. */
function relay(from: WebSocket, to: WebSocket, direction: 'in' | 'out', stream: SeenStream | undefined): void {
  from.on('message', (data: Buffer, isBinary) => {
    stream?.said(direction, isBinary ? data : data.toString());
    if (to.readyState === WebSocket.OPEN) to.send(data, { binary: isBinary });
  });
  from.on('ping', (data) => to.readyState === WebSocket.OPEN && to.ping(data));
  from.on('pong', (data) => to.readyState === WebSocket.OPEN && to.pong(data));
  from.on('close', (code) => {
    if (to.readyState === WebSocket.OPEN) stream?.closed(direction, code); // the other side has not closed it before
    closeAs(to, code);
  });
  from.on('error', () => {}); // shows as the close
}

function keeper() {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    take: (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= MAX_KEPT_BYTES) chunks.push(chunk);
    },
    kept: () => Buffer.concat(chunks),
  };
}
