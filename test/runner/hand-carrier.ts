import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { signatureHeaders, upgradeSignatureHeaders } from '../../src/carriers/plivo/signature.js';
import type { Runner } from '../../src/runner/runner.js';
import { parseXml, type XmlElement } from '../../src/sandbox/xml.js';
import { Inbox } from '../sandbox/inbox.js';

export const AUTH_ID = 'MATESTTESTTESTTEST00';
export const AUTH_TOKEN = 'test-auth-token';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HttpRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One HTTP request as it is given, `Host` and all. */
export async function send(
  url: string,
  { method = 'GET', headers = {}, body = '' }: HttpRequest = {},
): Promise<Answer> {
  const sent = request(url, { method, headers, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

type Parameters = Record<string, string>;

/** A carrier whose every move is the test's. */
export class HandCarrier {
  constructor(private readonly runner: Runner) {}

  /** A signed webhook: parameters in the form, or in the query of a GET. */
  webhook(path: string, parameters: Parameters, { method = 'POST', authToken = AUTH_TOKEN } = {}): Promise<Answer> {
    const fields = new URLSearchParams(parameters).toString();
    const isPost = method === 'POST';
    const url = `${this.runner.url}${path}${isPost ? '' : `?${fields}`}`;
    const form = isPost ? Object.entries(parameters) : [];
    return send(url, {
      method,
      headers: {
        ...signatureHeaders({ method, url, form }, authToken),
        ...(isPost && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(isPost && { body: fields }),
    });
  }

  /** A new call asks for its document. */
  async answer(callId: string = randomUUID()): Promise<Document> {
    return new Document(callId, await this.webhook('/answer', callParameters(callId, { Event: 'StartApp' })));
  }

  /** The stream has ended: the carrier goes on to the address after it. */
  async resume(callId: string): Promise<Document> {
    return new Document(callId, await this.webhook('/resume', callParameters(callId, { Event: 'Redirect' })));
  }

  /** The call is over. */
  hangup(
    callId: string,
    parameters: Parameters = { HangupSource: 'Caller', HangupCauseCode: '4000' },
  ): Promise<Answer> {
    return this.webhook('/hangup', callParameters(callId, { Event: 'Hangup', CallStatus: 'completed', ...parameters }));
  }

  /** A new call, up to its bot's first word. */
  async call(callId?: string): Promise<Stream> {
    return await Stream.open((await this.answer(callId)).streamUrl);
  }
}

export function callParameters(callId: string, more: Parameters = {}): Parameters {
  return {
    CallUUID: callId,
    From: '12025550142',
    To: '12025550100',
    Direction: 'inbound',
    CallStatus: 'in-progress',
    ...more,
  };
}

/** What the runner wants done with a call. */
export class Document {
  readonly #verbs: readonly XmlElement[];

  constructor(
    readonly callId: string,
    readonly answer: Answer,
  ) {
    if (answer.status !== 200) throw new Error(`status ${answer.status} instead of a document`);
    this.#verbs = parseXml(answer.body).children;
  }

  /** The names of its verbs. */
  get verbs(): string[] {
    return this.#verbs.map(({ name }) => name);
  }

  verb(name: string): XmlElement {
    const verb = this.#verbs.find((element) => element.name === name);
    if (!verb) throw new Error(`no <${name}> in ${this.answer.body}`);
    return verb;
  }

  get streamUrl(): string {
    return this.verb('Stream').text;
  }
}

/** Tries to connect a media stream. @returns the status of the answer, 101 when it was accepted, 0 when there is none */
export async function upgradeStatus(url: string, headers: object = upgradeSignatureHeaders(url, AUTH_TOKEN)) {
  const socket = new WebSocket(url, { headers: { ...headers } });
  return await new Promise<number>((resolve) => {
    socket.on('error', () => resolve(0));
    socket.once('unexpected-response', (sent, response) => {
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    socket.once('open', () => {
      resolve(101);
      socket.terminate();
    });
  });
}

export interface Hello {
  readonly pid: number;
  readonly call: { id: string; attempt: number; from: string; to: string; direction: string };
  readonly body: object;
  readonly secret: string;
  readonly program: number;
}

/** The carrier's end of a media stream. */
export class Stream {
  readonly socket: WebSocket;
  /** Close code; 1006 when the far end vanished. */
  readonly closed: Promise<number>;
  readonly #messages = new Inbox<{ event: string }>();

  /** Connects a stream, signed, and waits for the bot's first word. */
  static async open(url: string): Promise<Stream> {
    const stream = new Stream(url);
    stream.hello = await stream.event<Hello>('hello');
    return stream;
  }

  hello!: Hello;

  constructor(url: string) {
    this.socket = new WebSocket(url, ['audio.plivo.com'], { headers: { ...upgradeSignatureHeaders(url, AUTH_TOKEN) } });
    this.socket.on('message', (data) => this.#messages.push(JSON.parse(String(data))));
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  async event<Message>(name: string): Promise<Message> {
    return (await this.#messages.next(({ event }) => event === name)) as Message;
  }

  /** Tells the puppet what to do. */
  order(order: string): void {
    this.socket.send(JSON.stringify({ order }));
  }

  get callId(): string {
    return this.hello.call.id;
  }
}
