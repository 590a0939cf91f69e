import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { Inbox } from './inbox.js';

export interface ReceivedWebhook {
  readonly path: string;
  readonly method: string;
  readonly parameters: URLSearchParams;
  /** As it was asked for, with the query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly isSigned: boolean;
}

export interface Reply {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: string | Uint8Array;
}

// biome-ignore lint/suspicious/noExplicitAny: messages are checked by the tests that read them
type Json = Record<string, any>;

/** A server as somebody would write it for the real carrier: plain node:http and ws, nothing of this project. */
export class FakeApplication implements AsyncDisposable {
  readonly webhooks = new Inbox<ReceivedWebhook>();
  readonly streams = new Inbox<FakeBot>();
  readonly upgrades = new Inbox<IncomingMessage>();
  /** What the path answers; others answer 200 and nothing. */
  readonly routes = new Map<string, Reply | ((parameters: URLSearchParams) => Reply | Promise<Reply>)>();
  /** Status that upgrades are refused with. */
  refuseUpgrades: number | undefined;
  readonly #server: Server;
  readonly #webSockets: WebSocketServer;

  static async start(authToken: string, handleProtocols?: () => string | false): Promise<FakeApplication> {
    const application = new FakeApplication(authToken, handleProtocols);
    application.#server.listen(0, '127.0.0.1');
    await once(application.#server, 'listening');
    return application;
  }

  private constructor(
    private readonly authToken: string,
    handleProtocols?: () => string | false,
  ) {
    this.#webSockets = new WebSocketServer({ noServer: true, ...(handleProtocols && { handleProtocols }) });
    this.#server = createServer({ maxHeaderSize: 64 * 1024 }, async (request, response) => {
      const webhook = await this.#read(request);
      this.webhooks.push(webhook);
      const route = this.routes.get(webhook.path);
      const reply = typeof route === 'function' ? await route(webhook.parameters) : route;
      response.writeHead(reply?.status ?? 200, { 'content-type': reply?.contentType ?? 'application/xml' });
      response.end(reply?.body ?? '');
    });
    this.#server.on('upgrade', (request, socket, head) => {
      this.upgrades.push(request);
      if (this.refuseUpgrades) {
        socket.end(`HTTP/1.1 ${this.refuseUpgrades} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
        return;
      }
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.streams.push(new FakeBot(webSocket)));
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  url(path: string): string {
    return `http://${this.host}${path}`;
  }

  /** Answers `path` with these verbs. */
  document(path: string, verbs: string): void {
    this.routes.set(path, { body: `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${verbs}</Response>` });
  }

  streamVerb(attributes = ''): string {
    return `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000" ${attributes}>ws://${this.host}/ws</Stream>`;
  }

  webhook(event: string): Promise<ReceivedWebhook> {
    return this.webhooks.next(({ parameters }) => parameters.get('Event') === event);
  }

  requested(path: string): Promise<ReceivedWebhook> {
    return this.webhooks.next((webhook) => webhook.path === path);
  }

  isUpgradeSigned(request: IncomingMessage): boolean {
    const { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce } = request.headers;
    return signature === this.#sign(`http://${this.host}${request.url}.${nonce}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#webSockets.clients) client.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #read(request: IncomingMessage): Promise<ReceivedWebhook> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const body = (await request.toArray()).join('');
    const parameters = new URLSearchParams(request.method === 'POST' ? body : query);
    // Carrier reference 3.2, for parameters without repeated names: sorted by name in byte order.
    const sorted = [...parameters].sort(([a], [b]) => (a < b ? -1 : 1));
    const text =
      request.method === 'POST'
        ? sorted.map(([name, value]) => `${name}${value}`).join('')
        : sorted.map(([name, value]) => `${name}=${value}`).join('&');
    const { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce } = request.headers;
    const isSigned = signature === this.#sign(`${this.url(path)}${text && `?${text}`}.${nonce}`);
    const { method = '', headers } = request;
    return { path, method, parameters, url: this.url(request.url ?? ''), headers, isSigned };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.authToken).update(text).digest('base64');
  }
}

/** The bot's end of a media stream. */
export class FakeBot {
  readonly messages = new Inbox<Json>();
  readonly closed: Promise<number>;

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data, isBinary) => {
      if (isBinary) throw new Error('the carrier sent a binary message');
      this.messages.push(JSON.parse(data.toString()));
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  event(name: string): Promise<Json> {
    return this.messages.next(({ event }) => event === name);
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  play(audio: Uint8Array, media: object = {}): void {
    const payload = Buffer.from(audio).toString('base64');
    this.send({ event: 'playAudio', media: { contentType: 'audio/x-mulaw', sampleRate: 8000, payload, ...media } });
  }

  close(code = 1000): void {
    this.socket.close(code);
  }
}
