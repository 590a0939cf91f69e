import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { signatureHeaders, upgradeSignatureHeaders } from '../../src/providers/plivo/signature.js';
import type { Runner } from '../../src/runner/runner.js';
import { parseXml, type XmlElement } from '../../src/sandbox/carrier/xml.js';
import { Inbox } from '../sandbox/inbox.js';
import type { HandApi } from './hand-api.js';

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
    const target = isPost ? path : `${path}${path.includes('?') ? '&' : '?'}${fields}`;
    const form = isPost ? Object.entries(parameters) : [];
    return send(`${this.runner.url}${target}`, {
      method,
      headers: {
        ...signatureHeaders({ method, url: `${this.runner.addresses.publicUrl}${target}`, form }, authToken),
        ...(isPost && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(isPost && { body: fields }),
    });
  }

  /** A webhook to an address that the runner has given, in a document or with a call to dial. */
  tell(address: string, parameters: Parameters, method = 'POST'): Promise<Answer> {
    const { publicUrl } = this.runner.addresses;
    if (!address.startsWith(`${publicUrl}/`)) throw new Error(`${address} is not an address of the runner`);
    return this.webhook(address.slice(publicUrl.length), parameters, { method });
  }

  /** A new call asks for its document. */
  async answer(callId: string = randomUUID(), query = '', method = 'POST'): Promise<Document> {
    const parameters = callParameters(callId, { Event: 'StartApp' });
    return new Document(callId, await this.webhook(`/answer${query}`, parameters, { method }));
  }

  /** The stream of this document has ended: the carrier goes on to the address that stands after it. */
  async follow(document: Document): Promise<Document> {
    const parameters = callParameters(document.callId, { ...document.parameters, Event: 'Redirect' });
    return new Document(document.callId, await this.tell(document.verb('Redirect').text, parameters));
  }

  /** The developer's application has the runner dial, and the runner has us dial. */
  async dial(api: HandApi, request: object = { phone_number: '+12025550101' }, query = ''): Promise<DialledCall> {
    const { status, body } = await startCall(this.runner, request, { query });
    if (status !== 202) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
    return this.dialled(api, body);
  }

  /** The call that `POST /start` has answered this about. */
  dialled(api: HandApi, { call_id, carrier_call_id }: StartAnswer['body']): DialledCall {
    return new DialledCall(this, placed(api, call_id), call_id, carrier_call_id ?? undefined);
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

/** Answers of `POST /start`. */
export interface StartAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  readonly body: any;
}

export interface StartOptions {
  /** With its question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `POST /start` as the developer's application on this machine sends it. */
export async function startCall(
  { url }: Runner,
  request: object = { phone_number: '+12025550101' },
  { query = '', headers = {} }: StartOptions = {},
): Promise<StartAnswer> {
  const answer = await send(`${url}/start${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  });
  return { ...answer, body: JSON.parse(answer.body) };
}

/** What the runner asked of the voice API for this call of its own. */
function placed(api: HandApi, id: string): Record<string, string> {
  const request = api.requests.all.find(({ method, path, body }) => {
    return method === 'POST' && path === 'Call/' && String(body.answer_url).includes(`call_id=${id}&`);
  });
  if (!request) throw new Error(`no request to dial for ${id}`);
  return request.body as Record<string, string>;
}

type AddressName = 'answer_url' | 'ring_url' | 'hangup_url' | 'machine_detection_url';

/** A call that the runner has had dialled. Each function is one webhook. */
export class DialledCall {
  constructor(
    private readonly carrier: HandCarrier,
    /** The request of the voice API. */
    readonly fields: Readonly<Record<string, string>>,
    /** The runner's identifier. */
    readonly id: string,
    /** Ours. */
    readonly callId: string = randomUUID(),
  ) {}

  /** The same call, whose webhooks come to another runner from here on. */
  by(carrier: HandCarrier): DialledCall {
    return new DialledCall(carrier, this.fields, this.id, this.callId);
  }

  ring(callId = this.callId): Promise<Answer> {
    return this.#tell('ring_url', callId, { Event: 'Ring', CallStatus: 'ringing' });
  }

  async answer(callId = this.callId, method = 'POST'): Promise<Document> {
    const parameters = this.#parameters(callId, { Event: 'StartApp' });
    return new Document(callId, await this.carrier.tell(this.address('answer_url'), parameters, method), parameters);
  }

  machine(isMachine: boolean): Promise<Answer> {
    return this.#tell('machine_detection_url', this.callId, {
      Event: 'MachineDetection',
      Machine: String(isMachine),
    });
  }

  hangup(parameters: Parameters = { HangupSource: 'Callee', HangupCauseCode: '4000' }): Promise<Answer> {
    return this.#tell('hangup_url', this.callId, { Event: 'Hangup', CallStatus: 'completed', ...parameters });
  }

  address(name: AddressName): string {
    const address = this.fields[name];
    if (address === undefined) throw new Error(`the runner has given no ${name}`);
    return address;
  }

  #tell(name: AddressName, callId: string, more: Parameters): Promise<Answer> {
    return this.carrier.tell(this.address(name), this.#parameters(callId, more));
  }

  #parameters(callId: string, more: Parameters): Parameters {
    const { from = '', to = '' } = this.fields;
    return callParameters(callId, { From: from, To: to, Direction: 'outbound', ...more });
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
    /** What the request for it said of the call beyond its identifier, where that is not the usual. */
    readonly parameters: Readonly<Record<string, string>> = {},
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
  readonly body: Record<string, unknown>;
  readonly query: Record<string, string>;
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
  static async open(url: string, runnerUrl?: string, limitMs?: number): Promise<Stream> {
    const stream = new Stream(url, runnerUrl);
    stream.hello = await stream.event<Hello>('hello', limitMs);
    return stream;
  }

  hello!: Hello;

  /** @param runnerUrl where the runner is reached when its public name leads nowhere */
  constructor(url: string, runnerUrl = url) {
    const { pathname, search } = new URL(url);
    const headers = { ...upgradeSignatureHeaders(url, AUTH_TOKEN) };
    this.socket = new WebSocket(new URL(pathname + search, runnerUrl), ['audio.plivo.com'], { headers });
    this.socket.on('message', (data) => this.#messages.push(JSON.parse(String(data))));
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  async event<Message>(name: string, limitMs?: number): Promise<Message> {
    return (await this.#messages.next(({ event }) => event === name, limitMs)) as Message;
  }

  /** Tells the puppet what to do. */
  order(order: string, argument?: string): void {
    this.socket.send(JSON.stringify({ order, argument }));
  }

  get callId(): string {
    return this.hello.call.id;
  }
}
