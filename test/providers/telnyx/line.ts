import { telnyx } from '../../../src/providers/telnyx/provider.js';
import { makeSigningKeys, signatureHeaders } from '../../../src/providers/telnyx/signature.js';
import { type CarrierLine, form } from '../carrier-line.js';
import { ACCOUNT_ID, API_KEY } from './vendor-client.js';

const callId = 'v3:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ';
const streamId = '32de0dea-53cb-4b21-89a4-9e1819c043bc';
const { publicKey, privateKey } = makeSigningKeys();

/** Telnyx's end of a call that we have dialled. */
export function telnyxLine(): CarrierLine {
  const call = { AccountSid: ACCOUNT_ID, CallSid: callId, From: '+12025550100', To: '+12025550101' };
  const progress = { ...call, CallbackSource: 'call-progress-events' };
  const objects: Readonly<Record<string, object>> = {
    whoami: { organization_id: ACCOUNT_ID },
    '1293384261075731499': { id: '1293384261075731499' },
  };
  const number = { id: '1', phone_number: '+12025550100', connection_id: '1293384261075731499' };
  return {
    carrier: telnyx,
    credentials: { authId: '0123456789abcdef', authToken: API_KEY, publicKey },
    callId,
    streamId,
    reply: ({ url }) => {
      const name = new URL(url, 'http://127.0.0.1').pathname.split('/').at(-1) as string;
      const answer = name === 'Calls' ? { call_sid: callId } : { data: objects[name] ?? [number] };
      return { status: 200, body: JSON.stringify(answer) };
    },
    placed: (body) => {
      const { Url: answerUrl, StatusCallback: newsUrl } = JSON.parse(body);
      return { answerUrl, newsUrl };
    },
    ringing: form({ ...progress, CallStatus: 'ringing' }),
    wantsDocument: form({ ...call, Direction: 'outbound', CallStatus: 'in-progress' }),
    completed: form({ ...progress, CallStatus: 'completed', CallDuration: '3', HangupSource: 'caller' }),
    signed: (_url, { body }) => signatureHeaders(Buffer.from(body), privateKey, Date.now()),
    signedUpgrade: () => ({}),
    says: (event, part) => JSON.stringify({ event, sequence_number: '2', stream_id: streamId, [event]: part }),
  };
}
