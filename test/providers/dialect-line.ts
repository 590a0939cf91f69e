import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Carrier, CarrierCredentials } from '../../src/providers/carrier.js';
import { Inbox } from '../sandbox/inbox.js';
import { recordedMessage } from './plivo/recorded-messages.js';
import type { ReceivedRequest, Reply } from './plivo/scripted-api.js';
import { twilioShaped, twilioSignature } from './twilio-shaped-dialect.js';

type Headers = Record<string, string>;

export interface News {
  readonly contentType: string;
  readonly body: string;
}

/** The carrier's end of a call that we have dialled, in one carrier's words. */
export interface DialectLine {
  readonly title: string;
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
    title: 'a carrier that signs forms',
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

/**
 * As Twilio's, but in what Telnyx differs from it: signs the bytes of the body with a private key, signs no upgrade, and
 * tells the end in JSON.
 */
export function bodySigningLine(): DialectLine {
  const twilio = twilioLine();
  const { callId } = twilio;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const carrier: Carrier = {
    ...twilioShaped,
    verifyWebhook: ({ body, headers }, credentials) => {
      const key = createPublicKey({
        key: Buffer.from(credentials.publicKey ?? '', 'base64'),
        format: 'der',
        type: 'spki',
      });
      return verify(null, body, key, Buffer.from(String(headers['x-signature'] ?? ''), 'base64'));
    },
    verifyUpgrade: () => true,
    parseWebhook: ({ body, contentType }) => {
      const text = Buffer.from(body).toString();
      const isJson = contentType === 'application/json';
      const parameters = new Map(isJson ? Object.entries<string>(JSON.parse(text)) : new URLSearchParams(text));
      return twilioShaped.parseWebhook({ parameters, body, contentType });
    },
  };
  return {
    ...twilio,
    carrier,
    title: 'a carrier that signs bodies',
    credentials: {
      ...twilio.credentials,
      publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    },
    completed: {
      contentType: 'application/json',
      body: JSON.stringify({ CallSid: callId, CallStatus: 'completed', CallbackSource: 'call-progress-events' }),
    },
    signed: (_url, { body }) => ({ 'x-signature': sign(null, Buffer.from(body), privateKey).toString('base64') }),
    signedUpgrade: () => ({}),
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
