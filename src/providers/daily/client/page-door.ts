import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import { deferred } from '../../../base/async/deferred.js';
import { isSameSecret } from '../../../base/secret.js';
import { PAGE_PROTOCOL } from './wire.js';

/** Largest message of the page, in bytes. */
const MAX_MESSAGE_BYTES = 256 * 1_024;

const HTML = `<!doctype html>
<meta charset="utf-8">
<title>A bot in a room</title>
<script type="module" src="room-page.js"></script>
`;

/** The provider's client fetches its engine, evaluates it and speaks with servers of its own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-eval' blob: https: http://127.0.0.1:* http://localhost:*",
  "connect-src 'self' https: wss: ws://127.0.0.1:* ws://localhost:*",
  "worker-src 'self' blob:",
  'media-src blob: mediastream:',
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const compiled = (name: string) => fileURLToPath(new URL(`./page/${name}`, import.meta.url));

/**
 * Where one page of a browser comes from, and the socket through which it talks: a server on loopback whose addresses hold a
 * secret, and are answered once each.
 */
export class PageDoor {
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: () => PAGE_PROTOCOL,
  });
  readonly #entered = deferred<WebSocket>();
  readonly #token = randomBytes(24).toString('base64url');
  readonly #unused: Map<string, readonly [type: string, content: () => string | Buffer]>;
  #isEntered = false;

  /** @param client file of the provider's client, an ES module, where the page is to have it from here */
  static async open(client: string | undefined): Promise<PageDoor> {
    const door = new PageDoor(client);
    door.#server.listen(0, '127.0.0.1');
    await once(door.#server, 'listening');
    return door;
  }

  private constructor(client: string | undefined) {
    this.#unused = new Map([
      ['', ['text/html; charset=utf-8', () => HTML]],
      ['room-page.js', [JAVASCRIPT, () => readFileSync(compiled('room-page.js'))]],
      ['worklets.js', [JAVASCRIPT, () => readFileSync(compiled('worklets.js'))]],
    ]);
    if (client) this.#unused.set('client.js', [JAVASCRIPT, () => readFileSync(client)]);
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
  }

  /** Address of the page. */
  get url(): string {
    return `${this.#origin}/${this.#token}/`;
  }

  /** Address of the provider's client, where {@link open} was given one. */
  get clientUrl(): string {
    return `${this.url}client.js`;
  }

  /** The page's socket, once it is there. */
  get entered(): Promise<WebSocket> {
    return this.#entered.promise;
  }

  /** Safe to call twice. */
  close(): void {
    this.#entered.reject(new Error('the page is not waited for any more'));
    for (const client of this.#sockets.clients) client.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo | null)?.port}`;
  }

  /** What of the page's address is asked for; undefined for a client that does not know it, or is led here under another name. */
  #asked({ url = '', headers }: IncomingMessage): string | undefined {
    const [, token = '', name = '', ...rest] = url.split('/');
    const isOurs = rest.length === 0 && isSameSecret(token, this.#token);
    return isOurs && `http://${headers.host}` === this.#origin ? name : undefined;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const name = this.#asked(request);
    const file = request.method === 'GET' && name !== undefined ? this.#unused.get(name) : undefined;
    if (!file || name === undefined) {
      response.writeHead(404).end();
      return;
    }
    this.#unused.delete(name);
    const [type, content] = file;
    response.writeHead(200, { ...HEADERS, 'content-type': type }).end(content());
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { origin, 'sec-websocket-protocol': protocol } = request.headers;
    const isOurs = this.#asked(request) === 'socket' && origin === this.#origin && protocol === PAGE_PROTOCOL;
    if (!isOurs || this.#isEntered) {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    this.#isEntered = true;
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#entered.resolve(webSocket));
  }
}
