import { twilio } from '../../../src/providers/twilio/provider.js';
import { signatureHeaders } from '../../../src/providers/twilio/signature.js';
import { type CarrierLine, form } from '../carrier-line.js';

const callId = 'CA5d41402abc4b2a76b9719d911017c592';
const streamId = 'MZ18ad3ab5a668481ce02b83e7395059f0';
const authToken = '9f2c4e6a8b0d1f3a5c7e9b1d3f5a7c9e';

/** Twilio's end of a call that we have dialled. */
export function twilioLine(): CarrierLine {
  const call = { CallSid: callId, From: '+12025550100', To: '+12025550101', Direction: 'outbound-api' };
  const progress = { ...call, CallbackSource: 'call-progress-events' };
  return {
    carrier: twilio,
    credentials: { authId: 'AC0123456789abcdef0123456789abcdef', authToken },
    callId,
    streamId,
    reply: () => ({ status: 201, body: JSON.stringify({ sid: callId }) }),
    placed: (body) => {
      const fields = new URLSearchParams(body);
      return { answerUrl: fields.get('Url') ?? '', newsUrl: fields.get('StatusCallback') ?? '' };
    },
    ringing: form({ ...progress, CallStatus: 'ringing' }),
    wantsDocument: form({ ...call, CallStatus: 'in-progress' }),
    completed: form({ ...progress, CallStatus: 'completed', CallDuration: '3' }),
    signed: (url, { body }) => signatureHeaders(url, [...new URLSearchParams(body)], authToken),
    signedUpgrade: (url) => signatureHeaders(url, [], authToken),
    says: (event, part) => JSON.stringify({ event, streamSid: streamId, [event]: part }),
  };
}
