import type { CarrierConformanceOptions } from '../../../../src/lab/kit/conformance/carrier-conformance.js';
import type { SignedRequest } from '../../../../src/providers/carrier.js';
import type { BuiltInCarrier } from '../../../../src/providers/registry/carrier-names.js';
import { carriers } from '../../../../src/providers/registry/carriers.js';
import { FACES } from '../../../../src/sandbox/faces.js';
import { newAccount } from '../../../../src/sandbox/new-account.js';
import { recordedMessage, recordedMessages } from '../../../providers/plivo/recorded-messages.js';

const TWILIO_CALL = 'CA5d41402abc4b2a76b9719d911017c592';
const TELNYX_CALL = 'v3:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ';

/** What each carrier has said, and the parameter by which a webhook names its call. */
const SAID = {
  plivo: {
    messages: [recordedMessage('plivo/messages/start'), ...recordedMessages('plivo/messages')],
    stream: {
      streamId: 'e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1',
      callId: 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44',
    },
    names: { CallUUID: 'c7f3d1a0-6b5e-4d7c-9f21-3a8e5b9d0c44', Event: 'StartApp' },
  },
  twilio: {
    messages: [recordedMessage('twilio/start'), ...recordedMessages('twilio')],
    stream: { streamId: 'MZ18ad3ab5a668481ce02b83e7395059f0', callId: TWILIO_CALL },
    names: { CallSid: TWILIO_CALL },
  },
  telnyx: {
    messages: [
      recordedMessage('telnyx/start'),
      JSON.stringify({
        event: 'media',
        sequence_number: '2',
        stream_id: '32de0dea-53cb-4b21-89a4-9e1819c043bc',
        media: { track: 'inbound', chunk: '1', timestamp: '0', payload: Buffer.alloc(160, 255).toString('base64') },
      }),
      ...recordedMessages('telnyx'),
    ],
    stream: { streamId: '32de0dea-53cb-4b21-89a4-9e1819c043bc', callId: TELNYX_CALL },
    names: { CallSid: TELNYX_CALL },
  },
} as const;

/** One of our carriers as the suite takes it. */
export function ours(name: BuiltInCarrier): Omit<CarrierConformanceOptions, 'test'> {
  const { messages, stream, names } = SAID[name];
  const account = newAccount(name);
  const face = FACES[name]({ ...account, answerUrl: '', hangupUrl: '' });
  const numbers = { from: '+12025550199', to: '+12025550100' };
  return {
    extension: {
      providerContract: 1,
      carrier: carriers[name],
      sandbox: async () => ({ face: FACES[name], newAccount: () => newAccount(name) }),
    },
    fixtures: {
      account,
      messages,
      stream: { ...stream, audioBytes: 160 },
      call: { callId: stream.callId, ...numbers },
      webhook(): SignedRequest {
        const form = Object.entries({
          ...names,
          From: numbers.from,
          To: numbers.to,
          Direction: 'inbound',
          CallStatus: 'ringing',
        });
        const url = 'https://bot.example.com/answer?call=1';
        const body = new URLSearchParams(form).toString();
        const signed = face.signatureOf({ method: 'POST', url, form, body });
        const headers = Object.entries(signed).map(([header, value]) => [header.toLowerCase(), value]);
        const type = 'application/x-www-form-urlencoded';
        return {
          method: 'POST',
          url,
          form,
          body: Buffer.from(body),
          headers: { 'content-type': type, ...Object.fromEntries(headers) },
        };
      },
      ...(name === 'telnyx' && { unsigned: ['query'] as const }),
    },
  };
}
