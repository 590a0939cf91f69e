import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Carrier, CarrierCredentials } from '../../src/providers/carrier.js';
import { Inbox } from '../sandbox/inbox.js';
import { recordedMessage } from './plivo/recorded-messages.js';
import type { ReceivedRequest, Reply } from './plivo/scripted-api.js';

type Headers = Record<string, string>;

export interface News {
  readonly contentType: string;
  readonly body: string;
}

/** The carrier's end of a call that we have dialled, in one carrier's words. */
export interface CarrierLine {
  readonly carrier: Carrier;
  readonly credentials: Omit<CarrierCredentials, 'apiUrl'>;
  readonly callId: string;
  readonly streamId: string;
  /** The voice API, which takes every call. */
  readonly reply: (request: ReceivedRequest) => Reply;
  /** The addresses in the request that placed the call. */
  readonly placed: (body: string) => { readonly answerUrl: string; readonly newsUrl: string };
  readonly ringing: News;
  /** It is answered, or its stream has ended: the carrier wants a document. */
  readonly wantsDocument: News;
  readonly completed: News;
  readonly signed: (url: string, news: News) => Headers;
  readonly signedUpgrade: (url: string) => Headers;
  /** The caller's messages, as the carrier writes them. */
  readonly says: (event: 'media' | 'dtmf', part: object) => string;
}

export const form = (fields: Headers): News => ({
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams(fields).toString(),
});

/** Posts a webhook. */
export async function post(url: string, { contentType, body }: News, headers: Headers) {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': contentType, ...headers }, body });
  return { status: answer.status, body: await answer.text() };
}

/** The carrier's end of a media stream that the runner has let in. */
export class LineStream {
  readonly received = new Inbox<string>();
  readonly closed: Promise<number>;

  /** Connects, introduces itself as the carrier does, and waits for nothing. */
  static async open(line: CarrierLine, url: string): Promise<LineStream> {
    const socket = new WebSocket(url, { headers: line.signedUpgrade(url) });
    const stream = new LineStream(socket);
    await once(socket, 'open');
    for (const message of ['connected', 'start']) socket.send(recordedMessage(`${line.carrier.name}/${message}`));
    return stream;
  }

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.received.push(String(data)));
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }
}

/** @returns the status of the answer to an upgrade that is refused */
export async function refusedUpgrade(url: string, headers: Headers): Promise<number | undefined> {
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  socket.terminate();
  return response.statusCode;
}
