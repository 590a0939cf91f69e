import { randomBytes } from 'node:crypto';
import { dist } from '../dist.js';
import { type Dialect, formOf, unescaped } from './dialect.js';

const { twilioSignature } = await dist<typeof import('../../../src/providers/twilio/signature.js')>(
  'providers/twilio/signature.js',
);
const credentials = {
  authId: `AC${'b'.repeat(32)}`,
  authToken: 'bench-auth-token',
  apiUrl: 'http://127.0.0.1:1/2010-04-01',
};

const sid = (prefix: string) => prefix + randomBytes(16).toString('hex');
const signature = (url: string, form: ReadonlyArray<readonly [string, string]>) => ({
  'x-twilio-signature': twilioSignature(url, form, credentials.authToken),
});

function webhook(url: string, callId: string, status: string) {
  const parameters = {
    AccountSid: credentials.authId,
    ApiVersion: '2010-04-01',
    CallSid: callId,
    CallStatus: status,
    Direction: 'inbound',
    From: '+12025550142',
    To: '+12025550100',
  };
  return formOf(parameters, signature(url, Object.entries(parameters)));
}

/** @see carrier reference 7.1 */
export const twilioDialect: Dialect = {
  credentials,
  newCallId: () => sid('CA'),
  newStreamId: () => sid('MZ'),
  callComes: webhook,
  callIsOver: (url, callId) => webhook(url, callId, 'completed'),
  streamIn: (document) => unescaped(/<Stream [^>]*url="([^"]+)"/.exec(document)?.[1]),
  upgradeHeaders: (url) => signature(url, []),
  opening: ({ streamId: streamSid, callId: callSid }) => [
    { event: 'connected', protocol: 'Call', version: '1.0.0' },
    {
      event: 'start',
      sequenceNumber: '1',
      start: {
        accountSid: credentials.authId,
        streamSid,
        callSid,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: {},
      },
      streamSid,
    },
  ],
  audio: ({ streamId }, chunk, payload) =>
    `{"event":"media","sequenceNumber":"${chunk + 1}","media":{"track":"inbound","chunk":"${chunk}",` +
    `"timestamp":"${chunk * 20}","payload":"${payload}"},"streamSid":"${streamId}"}`,
  key: ({ streamId: streamSid }, digit) => ({
    event: 'dtmf',
    streamSid,
    sequenceNumber: '1',
    dtmf: { track: 'inbound_track', digit },
  }),
  isClear: (text) => text.includes('"clear"'),
  cleared: () => undefined,
  returnsMarks: true,
  markIn: (text) => (text.includes('"mark"') ? JSON.parse(text).mark.name : undefined),
  marked: ({ streamId: streamSid }, name) => ({ event: 'mark', streamSid, sequenceNumber: '1', mark: { name } }),
};
