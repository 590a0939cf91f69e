import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { closeAs } from '../../../src/lab/certify/wire/relayed-socket.js';
import type { RequestToSign } from '../../../src/sandbox/carrier/face.js';

/** JSON of a message, or names and values of a webhook. */
export type Fields = Record<string, unknown>;

/** In what a provider is not as the sandbox plays it. */
export interface Deviation {
  /** A webhook. @returns what is sent in its place; undefined: nothing is */
  webhook?(path: string, fields: Fields): Fields | undefined;
  /** How late a webhook comes, in milliseconds. */
  webhookDelayMs?(path: string, fields: Fields): number;
  /** How often it comes. */
  webhookTimes?(path: string, fields: Fields): number;
  /** A message on a media stream, which says `event`. @returns what is said in its place */
  stream?(message: Fields): readonly Fields[];
  /** The code with which the provider closes a stream. */
  closeCode?: number;
  /** An answer of the REST API. */
  rest?(method: string, path: string, answer: { status: number; fields: Fields }): { status: number; fields: Fields };
}

const OWN_HEADERS =
  /^(connection|upgrade|content-length|transfer-encoding|sec-websocket-(key|version|extensions|protocol))$/;

/** Stands between a sandbox and what it calls, in both directions, and makes it deviate. What it changes it signs again. */
export class DifferingProvider implements AsyncDisposable {
  readonly #streams = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #public = createServer(
    (request, response) => void this.#webhook(request, response).catch(() => response.destroy()),
  );
  readonly #api = createServer(
    (request, response) => void this.#rest(request, response).catch(() => response.destroy()),
  );

  /**
   * @param sandbox origin of its REST API
   * @param front origin of what the provider calls
   * @param sign the headers with which the provider signs a webhook
   */
  static async between(
    sandbox: string,
    front: string,
    sign: (request: RequestToSign) => Record<string, string>,
    deviation: Deviation,
  ): Promise<DifferingProvider> {
    const provider = new DifferingProvider(sandbox, front, sign, deviation);
    for (const server of [provider.#public, provider.#api]) await once(server.listen(0, '127.0.0.1'), 'listening');
    provider.#public.on('upgrade', (request, socket, head) => {
      provider.#stream(request, socket, head).catch(() => socket.destroy());
    });
    return provider;
  }

  private constructor(
    private readonly sandbox: string,
    private readonly front: string,
    private readonly sign: (request: RequestToSign) => Record<string, string>,
    private readonly deviation: Deviation,
  ) {}

  /** Where the provider is told to call. */
  get publicUrl(): string {
    return originOf(this.#public.address());
  }

  /** An address of the sandbox's REST API, by way of this. */
  via(url: string): string {
    return url.replace(this.sandbox, originOf(this.#api.address()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#streams.clients) socket.terminate();
    this.#streams.close();
    for (const server of [this.#public, this.#api]) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  }

  async #webhook(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = Buffer.concat(await request.toArray());
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
    const fields: Fields = isForm ? Object.fromEntries(new URLSearchParams(body.toString())) : {};
    const changed = isForm && this.deviation.webhook ? this.deviation.webhook(path, structuredClone(fields)) : fields;
    if (!changed) return void response.writeHead(200).end();
    await delay(this.deviation.webhookDelayMs?.(path, fields) ?? 0);
    const form = Object.entries(changed).map(([name, value]) => [name, String(value)] as const);
    const sent = isForm ? String(new URLSearchParams(Object.fromEntries(form))) : body;
    const signed = isForm
      ? this.sign({ method: method as 'POST', url: this.publicUrl + path, form, body: String(sent) })
      : {};
    const times = isForm ? (this.deviation.webhookTimes?.(path, fields) ?? 1) : 1;
    for (let time = 1; time < times; time += 1) await send(this.front + path, method, { ...headers, ...signed }, sent);
    const answer = await send(this.front + path, method, { ...headers, ...signed }, sent);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  async #rest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = Buffer.concat(await request.toArray());
    const answer = await send(this.sandbox + path, method, headers, body);
    const text = answer.body.toString();
    const changed =
      this.deviation.rest && text.startsWith('{')
        ? this.deviation.rest(method, path, { status: answer.status, fields: JSON.parse(text) })
        : undefined;
    const { 'content-length': _, ...kept } = answer.headers;
    response
      .writeHead(changed?.status ?? answer.status, kept)
      .end(changed ? JSON.stringify(changed.fields) : answer.body);
  }

  async #stream(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { url: path = '/', headers } = request;
    const protocols = headers['sec-websocket-protocol']?.split(/\s*,\s*/) ?? [];
    const runner = new WebSocket(`${this.front.replace(/^http/, 'ws')}${path}`, protocols, {
      headers: passedOn(headers),
      perMessageDeflate: false,
    });
    const early: string[] = [];
    const keep = (data: RawData) => void early.push(String(data));
    runner.on('message', keep);
    runner.on('error', () => {}); // shows as the close
    await once(runner, 'open');
    this.#streams.handleUpgrade(request, socket, head, (sandbox) => {
      runner.off('message', keep);
      for (const text of early) sandbox.send(text);
      runner.on('message', (data) => sandbox.readyState === WebSocket.OPEN && sandbox.send(String(data)));
      sandbox.on('message', (data) => {
        const message = JSON.parse(String(data)) as Fields;
        for (const one of this.deviation.stream?.(message) ?? [message]) {
          if (runner.readyState === WebSocket.OPEN) runner.send(JSON.stringify(one));
        }
      });
      runner.on('close', (code) => closeAs(sandbox, code));
      sandbox.on('close', (code) => closeAs(runner, this.deviation.closeCode ?? code));
    });
  }
}

async function send(url: string, method: string, headers: IncomingMessage['headers'], body: string | Buffer) {
  const sent = httpRequest(url, {
    method,
    agent: false,
    headers: {
      ...passedOn(headers),
      host: headers.host,
      ...(body.length > 0 && { 'content-length': Buffer.byteLength(body) }),
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: passedOn(response.headers),
    body: Buffer.concat(await response.toArray()),
  };
}

const passedOn = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name)));

function originOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  return `http://127.0.0.1:${(address as AddressInfo).port}`;
}
