import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Carrier, CarrierCredentials } from '../../src/carriers/contract.js';
import { Inbox } from '../sandbox/inbox.js';
import { recordedMessage } from './plivo/recorded-messages.js';
import type { ReceivedRequest, Reply } from './plivo/scripted-api.js';
import { telnyxShaped } from './telnyx-shaped-dialect.js';
import { twilioShaped, twilioSignature } from './twilio-shaped-dialect.js';

type Headers = Record<string, string>;

export interface News {
  readonly contentType: string;
  readonly body: string;
}

/** The carrier's end of a call that we have dialled, in one carrier's words. */
export interface DialectLine {
  readonly carrier: Carrier;
  readonly credentials: Omit<CarrierCredentials, 'apiUrl'>;
  readonly callId: string;
  readonly streamId: string;
  /** The voice API, which takes every call. */
  readonly reply: (request: ReceivedRequest) => Reply;
  /** The fields of the request that placed the call. */
  readonly placed: (body: string) => Record<string, string>;
  readonly ringing: News;
  /** It is answered, or its stream has ended: the carrier wants a document. */
  readonly wantsDocument: News;
  readonly completed: News;
  readonly signed: (url: string, news: News) => Headers;
  readonly signedUpgrade: (url: string) => Headers;
  /** The caller's messages, as the carrier writes them. */
  readonly says: (event: 'media' | 'dtmf', part: object) => string;
}

const json = (value: object): News => ({ contentType: 'application/json', body: JSON.stringify(value) });
const form = (fields: Headers): News => ({
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams(fields).toString(),
});

export function twilioLine(): DialectLine {
  const callId = 'CA5d41402abc4b2a76b9719d911017c592';
  const streamId = 'MZ18ad3ab5a668481ce02b83e7395059f0';
  const authToken = '12345';
  const call = { CallSid: callId, From: '+12025550100', To: '+12025550101', Direction: 'outbound-api' };
  const progress = { ...call, CallbackSource: 'call-progress-events' };
  const signature = (url: string, fields: [string, string][]) => ({
    'x-twilio-signature': twilioSignature(url, fields, authToken),
  });
  return {
    carrier: twilioShaped,
    credentials: { authId: 'AC0123456789abcdef0123456789abcdef', authToken },
    callId,
    streamId,
    reply: () => ({ status: 201, body: JSON.stringify({ sid: callId }) }),
    placed: (body) => Object.fromEntries(new URLSearchParams(body)),
    ringing: form({ ...progress, CallStatus: 'ringing' }),
    wantsDocument: form({ ...call, CallStatus: 'in-progress' }),
    completed: form({ ...progress, CallStatus: 'completed', CallDuration: '3' }),
    signed: (url, { body }) => signature(url, [...new URLSearchParams(body)]),
    signedUpgrade: (url) => signature(url, []),
    says: (event, part) => JSON.stringify({ event, streamSid: streamId, [event]: part }),
  };
}

/** What this carrier signs with, and what that is checked with. */
export function telnyxKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signed = (body: string, stamp = String(Math.floor(Date.now() / 1_000))): Headers => ({
    'telnyx-timestamp': stamp,
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${stamp}|${body}`), privateKey).toString('base64'),
  });
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return { signed, publicKey: raw.toString('base64') };
}

export function telnyxLine(): DialectLine {
  const callId = 'v3:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ';
  const streamId = '32de0dea-53cb-4b21-89a4-9e1819c043bc';
  const { signed, publicKey } = telnyxKeys();
  const call = { CallSid: callId, From: '+12025550100', To: '+12025550101' };
  const payload = { call_control_id: callId, from: call.From, to: call.To };
  return {
    carrier: telnyxShaped,
    credentials: { authId: 'f5586561-8ff0-4291-a51b-c7dfe4139ff9', authToken: 'KEY0123', publicKey },
    callId,
    streamId,
    reply: ({ method }) => {
      const answer = method === 'GET' ? { data: [{ connection_id: '1234567890' }] } : { sid: callId };
      return { status: 200, body: JSON.stringify(answer) };
    },
    placed: (body) => JSON.parse(body),
    ringing: form({ ...call, CallbackSource: 'call-progress-events', CallStatus: 'ringing' }),
    wantsDocument: form({ ...call, CallStatus: 'in-progress' }),
    completed: json({
      data: {
        event_type: 'call.hangup',
        payload: { ...payload, hangup_cause: 'normal_clearing', hangup_source: 'callee' },
      },
    }),
    signed: (_url, { body }) => signed(body),
    signedUpgrade: () => ({}),
    says: (event, part) => JSON.stringify({ event, stream_id: streamId, [event]: part }),
  };
}

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
  static async open(line: DialectLine, url: string): Promise<LineStream> {
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
