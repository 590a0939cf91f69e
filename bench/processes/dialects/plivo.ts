import { randomUUID } from 'node:crypto';
import { plivoAccount } from '../account.js';
import { dist } from '../dist.js';
import { type Dialect, formOf, unescaped } from './dialect.js';

const { signatureHeaders, upgradeSignatureHeaders } =
  await dist<typeof import('../../../src/providers/plivo/signature.js')>('providers/plivo/signature.js');
const { authToken } = plivoAccount;

function webhook(url: string, callId: string, event: string, status: string) {
  const parameters = {
    CallUUID: callId,
    From: '12025550142',
    To: '12025550100',
    Direction: 'inbound',
    Event: event,
    CallStatus: status,
  };
  return formOf(parameters, signatureHeaders({ method: 'POST', url, form: Object.entries(parameters) }, authToken));
}

/** @see carrier reference 5 */
export const plivoDialect: Dialect = {
  credentials: plivoAccount,
  newCallId: randomUUID,
  newStreamId: randomUUID,
  callComes: (url, callId, status) => webhook(url, callId, 'StartApp', status),
  callIsOver: (url, callId) => webhook(url, callId, 'Hangup', 'completed'),
  streamIn: (document) => unescaped(/<Stream [^>]*>([^<]+)</.exec(document)?.[1]),
  upgradeHeaders: (url) => upgradeSignatureHeaders(url, authToken),
  opening: ({ streamId, callId }) => [
    {
      sequenceNumber: 1,
      event: 'start',
      start: {
        callId,
        streamId,
        accountId: '1234567',
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      },
      extra_headers: '',
    },
  ],
  audio: ({ streamId }, chunk, payload) =>
    `{"sequenceNumber":${chunk + 1},"event":"media","streamId":"${streamId}","media":{"track":"inbound",` +
    `"timestamp":"${1_700_000_000_000 + chunk * 20}","chunk":${chunk},"payload":"${payload}"},"extra_headers":""}`,
  key: ({ streamId }, digit) => ({ event: 'dtmf', streamId, dtmf: { track: 'inbound', digit, timestamp: '1' } }),
  isClear: (text) => text.includes('"clearAudio"'),
  cleared: ({ streamId }) => ({ event: 'clearedAudio', streamId }),
  returnsMarks: false,
  markIn: (text) => (text.includes('"checkpoint"') ? JSON.parse(text).name : undefined),
  marked: ({ streamId }, name) => ({ event: 'playedStream', streamId, name }),
};
