import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { closeAs, opened } from '../../../src/lab/certify/wire/relayed-socket.js';

/** A request of the carrier as it came, and the HTTP status of the runner's answer. */
export interface TappedWebhook {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
}

/** A media stream of the carrier. */
export interface TappedStream {
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** What the carrier has said on it so far, at most {@link KEPT_MESSAGES}. */
  readonly said: readonly string[];
  /** What the runner answered to the same upgrade without any header of the carrier, where that was tried: 101, or its refusal. */
  readonly bareStatus?: number;
  /** Says something to the runner in the carrier's name. */
  inject(message: string | Buffer): void;
}

const KEPT_MESSAGES = 50;
/** Headers of one connection, which are not passed on. */
const OWN_HEADERS = /^(host|connection|upgrade|transfer-encoding|content-length|sec-websocket-.*)$/;

const passedOn = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name)));

/** The runner's public address: keeps all that the carrier sends there, and can send more in its name. */
export class WireTap implements AsyncDisposable {
  readonly webhooks: TappedWebhook[] = [];
  readonly streams: TappedStream[] = [];
  /** Where the runner is: `http://127.0.0.1:<port>`. */
  target = '';
  /** Every stream is first asked for without the carrier's headers, its signature among them. */
  triesBareUpgrades = false;
  readonly #upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #server = createServer((request, response) => {
    void this.#forward(request)
      .then(({ status, type, answer }) => response.writeHead(status, { 'content-type': type }).end(answer))
      .catch(() => response.destroy());
  });

  static async open(): Promise<WireTap> {
    const tap = new WireTap();
    tap.#server.on('upgrade', (request, socket, head) => {
      tap.#connect(request, socket, head).catch(() => socket.destroy());
    });
    await once(tap.#server.listen(0, '127.0.0.1'), 'listening');
    return tap;
  }

  private constructor() {}

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Those about a call, by either of its identifiers, oldest first. */
  webhooksOf(id: string): TappedWebhook[] {
    const names = (webhook: TappedWebhook) => decodeURIComponent(`${webhook.path} ${webhook.body}`).includes(id);
    return this.webhooks.filter(names);
  }

  /** The last stream of a call, by the runner's identifier. */
  streamOf(id: string): TappedStream | undefined {
    return this.streams.findLast(({ path }) => decodeURIComponent(path).includes(id));
  }

  /** Sends a webhook once more, or another in its place. @returns HTTP status */
  async replay({ method, path, headers, body }: TappedWebhook): Promise<number> {
    return (await this.#send(method, path, headers, body)).status;
  }

  /** Asks for a stream as the carrier would. @returns 101, or the status of the refusal */
  async tryUpgrade(path: string, headers: IncomingHttpHeaders): Promise<number> {
    const socket = this.#dial(path, headers);
    const status = await opened(socket);
    socket.terminate();
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#upgrades.clients) socket.terminate();
    this.#upgrades.close();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #forward(request: IncomingMessage) {
    const { method = '', url: path = '', headers } = request;
    const body = Buffer.concat(await request.toArray()).toString();
    const answered = await this.#send(method, path, headers, body);
    this.webhooks.push({ method, path, headers, body, status: answered.status });
    return answered;
  }

  async #send(method: string, path: string, headers: IncomingHttpHeaders, body: string) {
    const sent = httpRequest(this.target + path, {
      method,
      agent: false,
      headers: { ...passedOn(headers), ...(body !== '' && { 'content-length': Buffer.byteLength(body) }) },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const {
      statusCode: status = 0,
      headers: { 'content-type': type = '' },
    } = response;
    return { status, type, answer: Buffer.concat(await response.toArray()) };
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { url: path = '', headers } = request;
    let runner = this.#dial(path, this.triesBareUpgrades ? {} : headers);
    // What it says before the carrier is connected waits.
    const early: Array<[RawData, boolean]> = [];
    const keep = (data: RawData, isBinary: boolean) => void early.push([data, isBinary]);
    runner.on('message', keep);
    let status = await opened(runner);
    const bareStatus = this.triesBareUpgrades ? status : undefined;
    if (status !== 101 && this.triesBareUpgrades) {
      runner = this.#dial(path, headers).on('message', keep);
      status = await opened(runner);
    }
    if (status !== 101) {
      socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    this.#upgrades.handleUpgrade(request, socket, head, (carrier) => {
      runner.off('message', keep);
      const said: string[] = [];
      for (const [data, isBinary] of early) carrier.send(data, { binary: isBinary });
      join(runner, carrier);
      join(carrier, runner);
      carrier.on('message', (data) => {
        if (said.length < KEPT_MESSAGES) said.push(String(data));
      });
      const inject = (message: string | Buffer) => runner.send(message);
      this.streams.push({ path, headers, said, inject, ...(bareStatus !== undefined && { bareStatus }) });
    });
  }

  #dial(path: string, headers: IncomingHttpHeaders): WebSocket {
    return new WebSocket(`${this.target.replace(/^http/, 'ws')}${path}`, {
      headers: passedOn(headers),
      perMessageDeflate: false,
    });
  }
}

/** Passes on what one side says, and that it is gone. */
function join(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => to.readyState === WebSocket.OPEN && to.send(data, { binary: isBinary }));
  from.on('close', (code) => closeAs(to, code));
  from.on('error', () => {}); // shows as the close
}
