import { createHmac, timingSafeEqual } from 'node:crypto';
import { isDtmfDigit } from '../../src/audio/dtmf-digit.js';
import type { EndReason } from '../../src/call/call.js';
import { normalisePhoneNumber } from '../../src/call/phone-number.js';
import { type ErrorCode, VoicebotError } from '../../src/errors.js';
import { ProviderRequestError } from '../../src/http/provider-request-error.js';
import type {
  AnswerStep,
  Carrier,
  CarrierCredentials,
  CarrierRestClient,
  CarrierWebhook,
  DialNews,
  SignedRequest,
  StreamCodec,
  StreamMessage,
  WebhookEvent,
} from '../../src/providers/carrier.js';

/**
 * A second carrier's wire behind the contract, in one file: enough to show that the contract holds for it. It is no
 * supported carrier; it repeats no request and knows the errors only roughly.
 * @see carrier reference 7.1 and 7.4
 */
export const twilioShaped = {
  name: 'twilio',
  defaultApiUrl: 'https://api.twilio.com/2010-04-01',
  capabilities: {
    allowsStreamQuery: false,
    transfersCalls: true,
    audio: { telephone: { encoding: 'PCMU', sampleRate: 8_000 } },
    pressesKeys: false,
    signsStreams: true,
    confirmsClear: false,
  },
  variables: { authId: 'TWILIO_ACCOUNT_SID', authToken: 'TWILIO_AUTH_TOKEN', phoneNumber: 'TWILIO_PHONE_NUMBER' },
  signatureHeader: 'x-twilio-signature',
  createCodec(streamId, format = { encoding: 'PCMU', sampleRate: 8000 }) {
    if (format.encoding !== 'PCMU' || format.sampleRate !== 8000) throw new VoicebotError('VB_AUDIO_INVALID');
    return codec(streamId);
  },
  answerDocument: (steps) => documentOf(steps.map(elementOf)),
  verifyWebhook: ({ url, form, headers }, { authToken }) => isSigned(url, form, headers, authToken),
  verifyUpgrade: ({ url, headers }, { authToken }) =>
    [url, `${url}/`].some((address) => isSigned(address, [], headers, authToken)),
  parseWebhook: ({ parameters }) => parseForm(parameters),
  isWebhookParameter: (name) => /^[A-Z]/.test(name),
  isCallId: isSid,
  createRestClient: async (credentials) => restClient(credentials),
  createNumberRouting: async () => {
    throw new VoicebotError('VB_CARRIER_UNSUPPORTED', 'setting the numbers of an account');
  },
} satisfies Carrier;

function isSid(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Z]{2}[0-9a-f]{32}$/.test(id);
}

function codec(streamSid: string): StreamCodec {
  return {
    decode,
    encodeAudio: (payload) =>
      JSON.stringify({ event: 'media', streamSid, media: { payload: Buffer.from(payload).toString('base64') } }),
    encodeMark: (name) => JSON.stringify({ event: 'mark', streamSid, mark: { name } }),
    encodeClear: () => JSON.stringify({ event: 'clear', streamSid }),
    encodeDtmf: () => undefined,
  };
}

type Json = Record<string, unknown>;
/** Not `String`: what came from JSON may be an object whose `toString` is no function. */
const wordOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

function decode(text: string): StreamMessage {
  const malformed = (detail: string): StreamMessage => ({ type: 'malformed', detail });
  let message: Json;
  try {
    message = objectOf(JSON.parse(text));
  } catch {
    return malformed('not JSON');
  }
  const { event } = message;
  const [start, media, dtmf, mark] = ['start', 'media', 'dtmf', 'mark'].map((name) => objectOf(message[name])) as [
    Json,
    Json,
    Json,
    Json,
  ];
  switch (event) {
    case 'start': {
      const { streamSid: streamId, callSid: callId } = start;
      if (!isSid(streamId) || !isSid(callId)) return malformed('start without its identifiers');
      const { encoding, sampleRate } = objectOf(start.mediaFormat);
      if (encoding !== 'audio/x-mulaw' || Number(wordOf(sampleRate)) !== 8000) {
        return { type: 'unsupported', streamId, callId, detail: 'not mu-law at 8000 Hz' };
      }
      const format = { encoding: 'PCMU', sampleRate: 8000 } as const;
      return { type: 'start', streamId, callId, format };
    }
    case 'media':
      if (media.track === 'outbound') return { type: 'unknown', event: 'media of the outbound track' };
      return typeof media.payload === 'string' && media.payload !== ''
        ? { type: 'audio', payload: Buffer.from(media.payload, 'base64') }
        : malformed('media without payload');
    case 'dtmf': {
      const { digit } = dtmf;
      return isDtmfDigit(digit) ? { type: 'dtmf', digit } : malformed('dtmf without a digit');
    }
    case 'mark':
      return typeof mark.name === 'string' ? { type: 'mark', name: mark.name } : malformed('mark without name');
    case 'stop':
      return { type: 'stop' };
    default:
      return typeof event === 'string' ? { type: 'unknown', event: event.slice(0, 64) } : malformed('no event');
  }
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const xml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ESCAPED[character] ?? '');
const attributes = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value))}"`)
    .join('');

const documentOf = (elements: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${elements.join('')}</Response>`;

/** Longest name and value of a stream's parameter together, in characters. */
const MAX_PARAMETER_LENGTH = 500;

function elementOf(step: AnswerStep): string {
  switch (step.do) {
    case 'stream': {
      const { url, parameters, continueUrl, statusUrl } = step.stream;
      if (url.includes('?')) throw new VoicebotError('VB_XML_INVALID', 'the stream address has a query');
      const children = Object.entries(parameters)
        .filter(([name, value]) => name.length + value.length <= MAX_PARAMETER_LENGTH)
        .map(([name, value]) => `<Parameter${attributes({ name, value })}/>`);
      const stream = attributes({ url, ...(statusUrl !== undefined && { statusCallback: statusUrl }) });
      return (
        `<Connect><Stream${stream}>${children.join('')}</Stream></Connect>` +
        `<Redirect method="POST">${xml(continueUrl)}</Redirect>`
      );
    }
    case 'dial': {
      const { to, callerId, ringTimeoutS: timeout, timeLimitS: timeLimit, outcomeUrl: action, statusUrl } = step.dial;
      const number = { statusCallbackEvent: 'answered completed', statusCallback: statusUrl };
      return (
        `<Dial${attributes({ callerId, timeout, timeLimit, action, method: 'POST' })}>` +
        `<Number${attributes(number)}>${xml(to)}</Number></Dial>`
      );
    }
    case 'play':
      return `<Play>${xml(step.url)}</Play>`;
    case 'speak':
      return `<Say>${xml(step.text)}</Say>`;
    case 'hangup':
      return step.reason ? `<Reject${attributes({ reason: step.reason })}/>` : '<Hangup/>';
  }
}

/** The signature of a request: the address, then each field's name and value in the order of the names. */
export function twilioSignature(url: string, form: SignedRequest['form'], authToken: string): string {
  const fields = [...form].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return createHmac('sha1', authToken)
    .update(url + fields.flat().join(''))
    .digest('base64');
}

function isSigned(
  url: string,
  form: SignedRequest['form'],
  headers: SignedRequest['headers'],
  authToken: string,
): boolean {
  const given = Buffer.from(String(headers['x-twilio-signature'] ?? ''));
  const expected = Buffer.from(twilioSignature(url, form, authToken));
  return authToken !== '' && given.length === expected.length && timingSafeEqual(given, expected);
}

const FINAL: Readonly<Record<string, EndReason>> = {
  completed: 'caller_hung_up',
  busy: 'busy',
  'no-answer': 'no_answer',
  canceled: 'bot_ended',
  failed: 'telephony_error',
};
const DIAL_OUTCOMES: Readonly<Record<string, Extract<DialNews, { phase: 'ended' }>['outcome']>> = {
  completed: 'completed',
  answered: 'completed',
  busy: 'busy',
  'no-answer': 'no_answer',
  canceled: 'caller_left',
};

function parseForm(parameters: ReadonlyMap<string, string>): CarrierWebhook {
  const get = (name: string) => parameters.get(name) ?? '';
  const event = eventOf(parameters);
  const status = get('CallStatus');
  // The news of a dialled leg go by its own identifier.
  const callId = event === 'dial' ? get('ParentCallSid') || get('CallSid') : get('CallSid');
  const dial = (): DialNews => {
    const leg = parameters.has('DialCallStatus') ? get('DialCallSid') : get('CallSid');
    const legId = isSid(leg) ? leg : undefined;
    const cause = get('DialCallStatus');
    if (cause) return { phase: 'ended', outcome: DIAL_OUTCOMES[cause] ?? 'failed', legId, cause };
    if (status === 'in-progress') return { phase: 'answered', legId, to: normalisePhoneNumber(get('To')) };
    return { phase: 'other' };
  };
  const seconds = get('CallDuration');
  return {
    event,
    callId: isSid(callId) ? callId : undefined,
    from: normalisePhoneNumber(get('From')),
    to: normalisePhoneNumber(get('To')),
    direction: get('Direction').startsWith('outbound') ? 'outbound' : 'inbound',
    ...(event === 'hangup' && {
      hangup: {
        reason: FINAL[status] ?? 'telephony_error',
        cause: status,
        source: 'Unknown',
        durationMs: /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1_000 : undefined,
      },
    }),
    ...(get('StreamEvent') === 'stream-error' && { streamProblem: get('StreamError') || 'stream-error' }),
    ...(event === 'dial' && { dial: dial() }),
    ...(event === 'machine_detection' && { isMachine: get('AnsweredBy').startsWith('machine') }),
  };
}

function eventOf(parameters: ReadonlyMap<string, string>): WebhookEvent {
  if (parameters.has('StreamEvent')) return 'other';
  if (parameters.has('DialCallStatus') || parameters.has('ParentCallSid')) return 'dial';
  if (parameters.has('MachineDetectionDuration')) return 'machine_detection';
  const status = parameters.get('CallStatus') ?? '';
  if (status in FINAL) return 'hangup';
  if (parameters.get('CallbackSource') === 'call-progress-events') return status === 'ringing' ? 'ring' : 'other';
  // A continuation is asked for in the same words as a dialled call's answer; the address tells them apart.
  return ['ringing', 'in-progress'].includes(status) ? 'answer' : 'other';
}

type Form = Readonly<Record<string, string>> | ReadonlyArray<readonly [name: string, value: string]>;

function restClient({ authId, authToken, apiUrl }: CarrierCredentials): CarrierRestClient {
  const base = `${apiUrl}/Accounts/${authId}`;
  const headers = { authorization: `Basic ${btoa(`${authId}:${authToken}`)}` };

  async function request(path: string, form?: Form, signal?: AbortSignal): Promise<Response> {
    const body = form && { method: 'POST', body: new URLSearchParams(form as Record<string, string>) };
    try {
      return await fetch(`${base}/${path}`, { headers, ...body, signal: signal ?? null });
    } catch (cause) {
      throw new VoicebotError('VB_CARRIER_UNREACHABLE', apiUrl, { cause });
    }
  }

  function requireSuccess({ ok, status }: Response): void {
    const code: ErrorCode = status === 401 ? 'VB_CREDENTIALS_REFUSED' : 'VB_CARRIER_REQUEST_FAILED';
    if (!ok) throw new ProviderRequestError(code, `got status ${status}`, { status });
  }

  /** Changes a live call; false when there is none. */
  async function changeCall(callId: string, form: Form, signal?: AbortSignal): Promise<boolean> {
    if (!isSid(callId)) throw new VoicebotError('VB_IDENTIFIER_INVALID');
    const answer = await request(`Calls/${callId}.json`, form, signal);
    if (answer.status === 404) return false;
    requireSuccess(answer);
    return true;
  }

  return {
    async placeCall(call, signal) {
      const form = {
        From: call.from,
        To: call.to,
        Url: call.answerUrl,
        Method: 'POST',
        StatusCallback: call.ringUrl, // one address for all news
        Timeout: String(call.ringTimeoutS),
        TimeLimit: String(call.timeLimitS),
        ...(call.machineDetection !== 'off' && {
          MachineDetection: 'Enable',
          AsyncAmd: 'true',
          AsyncAmdStatusCallback: call.machineUrl,
        }),
      };
      const uncertain = (cause: unknown): never => {
        throw new VoicebotError('VB_CALL_UNCERTAIN', undefined, { cause });
      };
      const events = ['ringing', 'completed'].map((event) => ['StatusCallbackEvent', event] as const);
      const answer = await request('Calls.json', [...Object.entries(form), ...events], signal).catch(uncertain);
      if (answer.status >= 500) uncertain(answer.status);
      requireSuccess(answer);
      const { sid } = objectOf(await answer.json().catch(uncertain));
      return { callId: isSid(sid) ? sid : undefined };
    },
    async findCalls({ from, to }, signal) {
      const pages = ['queued', 'ringing', 'in-progress'].map(async (Status) => {
        const answer = await request(
          `Calls.json?${new URLSearchParams({ From: from, To: to, Status })}`,
          undefined,
          signal,
        );
        requireSuccess(answer);
        const { calls } = objectOf(await answer.json());
        return Array.isArray(calls) ? calls.map((call) => objectOf(call).sid).filter(isSid) : [];
      });
      return [...new Set((await Promise.all(pages)).flat())];
    },
    transfer: async (callId, documentUrl, signal) =>
      (await changeCall(callId, { Url: documentUrl, Method: 'POST' }, signal)) ? 'transferring' : 'no_such_call',
    hangUp: async (callId, signal) =>
      (await changeCall(callId, { Status: 'completed' }, signal)) ? 'ended' : 'already_ended',
    close: async () => {},
  };
}
