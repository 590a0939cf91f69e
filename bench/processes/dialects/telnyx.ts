import { createPrivateKey, createPublicKey, randomBytes, randomUUID } from 'node:crypto';
import { dist } from '../dist.js';
import { type Dialect, formOf, unescaped } from './dialect.js';

const { signatureHeaders } = await dist<typeof import('../../../src/providers/telnyx/signature.js')>(
  'providers/telnyx/signature.js',
);
/** Both ends of the bench know the same pair of keys (RFC 8410, RFC 8037). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8_HEAD, Buffer.alloc(32, 'bench')]),
  format: 'der',
  type: 'pkcs8',
});
const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
const credentials = {
  authId: 'bench',
  authToken: 'KEYbench',
  publicKey: Buffer.from(x, 'base64url').toString('base64'),
  apiUrl: 'http://127.0.0.1:1/v2',
};
const ACCOUNT = randomUUID();

function webhook(_url: string, callId: string, status: string) {
  const parameters = {
    AccountSid: ACCOUNT,
    CallSid: callId,
    CallStatus: status,
    Direction: 'inbound',
    From: '+12025550142',
    To: '+12025550100',
  };
  const body = Buffer.from(new URLSearchParams(parameters).toString());
  return formOf(parameters, signatureHeaders(body, privateKey, Date.now()));
}

/** @see carrier reference 7.2 */
export const telnyxDialect: Dialect = {
  credentials,
  newCallId: () => `v3:${randomBytes(40).toString('base64url')}`,
  newStreamId: randomUUID,
  callComes: webhook,
  callIsOver: (url, callId) => webhook(url, callId, 'completed'),
  streamIn: (document) => unescaped(/<Stream [^>]*url="([^"]+)"/.exec(document)?.[1]),
  upgradeHeaders: () => ({}),
  opening: ({ streamId, callId }) => [
    { event: 'connected', version: '1.0.0' },
    {
      event: 'start',
      sequence_number: '1',
      stream_id: streamId,
      start: {
        user_id: ACCOUNT,
        call_control_id: callId,
        call_session_id: ACCOUNT,
        from: '+12025550142',
        to: '+12025550100',
        media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 },
      },
    },
  ],
  audio: ({ streamId }, chunk, payload) =>
    `{"event":"media","sequence_number":"${chunk + 1}","media":{"track":"inbound","chunk":"${chunk}",` +
    `"timestamp":"${chunk * 20}","payload":"${payload}"},"stream_id":"${streamId}"}`,
  key: ({ streamId }, digit) => ({ event: 'dtmf', sequence_number: '1', stream_id: streamId, dtmf: { digit } }),
  isClear: (text) => text.includes('"clear"'),
  cleared: () => undefined,
  returnsMarks: true,
  markIn: (text) => (text.includes('"mark"') ? JSON.parse(text).mark.name : undefined),
  marked: ({ streamId }, name) => ({ event: 'mark', sequence_number: '1', stream_id: streamId, mark: { name } }),
};
