import { createPublicKey, verify } from 'node:crypto';
import { isDtmfDigit } from '../../src/audio/dtmf-digit.js';
import type { EndReason } from '../../src/call/call.js';
import { normalisePhoneNumber } from '../../src/call/phone-number.js';
import { CarrierRequestError } from '../../src/carriers/carrier-request-error.js';
import type {
  AnswerStream,
  Carrier,
  CarrierCredentials,
  CarrierRestClient,
  CarrierWebhook,
  SignedRequest,
  StreamCodec,
  StreamMessage,
  WebhookCredentials,
} from '../../src/carriers/contract.js';
import { type ErrorCode, VoicebotError } from '../../src/errors.js';
import { attributes, documentOf, elementOf, parseForm, wordOf, xml } from './twilio-shaped-dialect.js';

/**
 * A third carrier's wire behind the contract, in one file: its documents are TeXML, its webhooks TeXML's forms and Call
 * Control's JSON, both signed over their bytes. It is no supported carrier, as the second is none.
 * @see reference 7.2 and 7.4
 */
export const telnyxShaped = {
  name: 'telnyx',
  defaultApiUrl: 'https://api.telnyx.com/v2',
  capabilities: {
    acknowledgesClear: false,
    returnsMarksOnClear: true,
    sendsDtmfOnStream: false,
    allowsStreamQuery: true,
    transfersCalls: true,
    maxMessageBytes: 64 * 1024,
  },
  createCodec(_streamId, format = { encoding: 'PCMU', sampleRate: 8000 }) {
    if (format.encoding !== 'PCMU' || format.sampleRate !== 8000) throw new VoicebotError('VB_AUDIO_INVALID');
    return new Codec();
  },
  answerDocument: (steps) =>
    documentOf(steps.map((step) => (step.do === 'stream' ? streamElement(step.stream) : elementOf(step)))),
  verifyWebhook: isSigned,
  verifyUpgrade: () => true, // not signed
  // The signature does not cover the address: only the body counts.
  parseWebhook: ({ body, contentType }) => {
    const text = Buffer.from(body).toString('utf8');
    return contentType === 'application/json' ? parseEvent(text) : parseForm(formOf(text), isCallControlId);
  },
  isWebhookParameter: (name) => /^[A-Z]/.test(name),
  isCallId: isCallControlId,
  createRestClient: async (credentials) => restClient(credentials),
  createNumberRouting: async () => {
    throw new VoicebotError('VB_CARRIER_UNSUPPORTED', 'setting the numbers of an account');
  },
} satisfies Carrier;

const formOf = (text: string): ReadonlyMap<string, string> => new Map(new URLSearchParams(text));

function isCallControlId(id: unknown): id is string {
  return typeof id === 'string' && /^v\d:[\w-]{1,124}$/.test(id);
}

type Json = Record<string, unknown>;
const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
function parseObject(text: string): Json {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

class Codec implements StreamCodec {
  #lastChunk = 0;

  decode(text: string): StreamMessage {
    const malformed = (detail: string): StreamMessage => ({ type: 'malformed', detail });
    const message = parseObject(text);
    const { event, stream_id: streamId } = message;
    const part = objectOf(message[wordOf(event)]);
    switch (event) {
      case 'start': {
        const callId = part.call_control_id;
        if (typeof streamId !== 'string' || !/^[\w-]{1,64}$/.test(streamId) || !isCallControlId(callId)) {
          return malformed('start without its identifiers');
        }
        const { encoding, sample_rate: sampleRate } = objectOf(part.media_format);
        if (encoding !== 'PCMU' || Number(wordOf(sampleRate)) !== 8000) {
          return { type: 'unsupported', streamId, callId, detail: 'not PCMU at 8000 Hz' };
        }
        const parameters = Object.entries(objectOf(part.custom_parameters)).map(([name, value]) => [
          name,
          wordOf(value),
        ]);
        const format = { encoding: 'PCMU', sampleRate: 8000 } as const;
        return { type: 'start', streamId, callId, format, customParameters: Object.fromEntries(parameters) };
      }
      case 'media': {
        if (part.track === 'outbound') return { type: 'unknown', event: 'media of the outbound track' };
        if (typeof part.payload !== 'string' || part.payload === '') return malformed('media without payload');
        // The carrier does not promise the order of its frames; one that comes after its successor is too late.
        const chunk = Number(wordOf(part.chunk) || this.#lastChunk + 1);
        if (chunk <= this.#lastChunk) return { type: 'unknown', event: 'media that comes late' };
        this.#lastChunk = chunk;
        return { type: 'audio', payload: Buffer.from(part.payload, 'base64') };
      }
      case 'dtmf': {
        const { digit } = part;
        return isDtmfDigit(digit) ? { type: 'dtmf', digit } : malformed('dtmf without a digit');
      }
      case 'mark':
        return typeof part.name === 'string' ? { type: 'mark', name: part.name } : malformed('mark without name');
      case 'stop':
        return { type: 'stop' };
      case 'error':
        return { type: 'error', detail: wordOf(objectOf(message.payload).title) || 'no reason given' };
      default:
        return typeof event === 'string' ? { type: 'unknown', event: event.slice(0, 64) } : malformed('no event');
    }
  }

  encodeAudio(payload: Uint8Array): string {
    return JSON.stringify({ event: 'media', media: { payload: Buffer.from(payload).toString('base64') } });
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: 'mark', mark: { name } });
  }

  encodeClear(): string {
    return JSON.stringify({ event: 'clear' });
  }

  encodeDtmf(_digits: string): undefined {}
}

function streamElement({ url, parameters, continueUrl, statusUrl }: AnswerStream): string {
  const query = new URLSearchParams(parameters).toString();
  const stream = {
    url: query === '' ? url : `${url}?${query}`,
    codec: 'PCMU',
    bidirectionalMode: 'rtp', // otherwise our audio is taken for MP3 and dropped
    bidirectionalCodec: 'PCMU',
    ...(statusUrl !== undefined && { statusCallback: statusUrl }),
  };
  return `<Connect><Stream${attributes(stream)}/></Connect><Redirect method="POST">${xml(continueUrl)}</Redirect>`;
}

/** How old a webhook may be, in seconds. */
const TOLERANCE_S = 5 * 60;

/** Ed25519 over the time stamp and the bytes of the body. The public key is the base64 of its 32 bytes. */
function isSigned({ body, headers }: SignedRequest, { publicKey = '' }: WebhookCredentials): boolean {
  const stamp = String(headers['telnyx-timestamp'] ?? '');
  const ageS = Math.abs(Date.now() / 1_000 - Number(stamp));
  if (!/^\d{1,12}$/.test(stamp) || ageS > TOLERANCE_S) return false;
  const raw = Buffer.from(publicKey, 'base64');
  if (raw.length !== 32) return false;
  const key = createPublicKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
  });
  const signature = Buffer.from(String(headers['telnyx-signature-ed25519'] ?? ''), 'base64');
  return verify(null, Buffer.concat([Buffer.from(`${stamp}|`), body]), key, signature);
}

const END_REASONS: Readonly<Record<string, EndReason>> = {
  normal_clearing: 'caller_hung_up',
  originator_cancel: 'caller_hung_up',
  time_limit: 'limit_reached',
  user_busy: 'busy',
  no_answer: 'no_answer',
  timeout: 'no_answer',
  call_rejected: 'rejected',
};

/** Call Control's JSON: news only, since its calls are steered by requests and not by documents. */
function parseEvent(text: string): CarrierWebhook {
  const { event_type: type, payload: content } = objectOf(parseObject(text).data);
  const payload = objectOf(content);
  const word = (name: string) => wordOf(payload[name]);
  const cause = word('hangup_cause') || 'unspecified';
  const talkedMs = Date.parse(word('end_time')) - Date.parse(word('start_time'));
  const isHangup = type === 'call.hangup';
  const isMachineNews = type === 'call.machine.detection.ended';
  return {
    event: isHangup ? 'hangup' : isMachineNews ? 'machine_detection' : 'other',
    callId: isCallControlId(payload.call_control_id) ? payload.call_control_id : undefined,
    from: normalisePhoneNumber(word('from')),
    to: normalisePhoneNumber(word('to')),
    direction: payload.direction === 'outgoing' ? 'outbound' : 'inbound',
    ...(isHangup && {
      hangup: {
        reason: END_REASONS[cause] ?? 'provider_error',
        cause,
        source: word('hangup_source') || 'unknown',
        durationMs: Number.isNaN(talkedMs) ? undefined : talkedMs,
      },
    }),
    ...(type === 'streaming.failed' && { streamProblem: word('failure_reason') || 'streaming.failed' }),
    ...(isMachineNews && { isMachine: payload.result === 'machine' }),
  };
}

/** The code of the refusal to steer a call that is over. */
const CALL_IS_OVER = '90018';

function restClient({ authId, authToken, apiUrl }: CarrierCredentials): CarrierRestClient {
  const account = `texml/Accounts/${authId}`;
  const headers = { authorization: `Bearer ${authToken}`, 'content-type': 'application/json' };

  async function request(method: string, path: string, fields?: Json, signal?: AbortSignal) {
    try {
      const body = fields && { body: JSON.stringify(fields) };
      const answer = await fetch(`${apiUrl}/${path}`, { method, headers, ...body, signal: signal ?? null });
      return { status: answer.status, fields: parseObject(await answer.text()) };
    } catch (cause) {
      throw new VoicebotError('VB_CARRIER_UNREACHABLE', apiUrl, { cause });
    }
  }

  async function succeeding(...asked: Parameters<typeof request>): Promise<Json> {
    const { status, fields } = await request(...asked);
    const code: ErrorCode = status === 401 ? 'VB_CREDENTIALS_REFUSED' : 'VB_CARRIER_REQUEST_FAILED';
    if (status >= 300) throw new CarrierRequestError(code, status, `got status ${status}`);
    return fields;
  }

  /** Changes a live call; false when there is none. */
  async function changeCall(callId: string, path: string, fields: Json, signal?: AbortSignal): Promise<boolean> {
    if (!isCallControlId(callId)) throw new VoicebotError('VB_IDENTIFIER_INVALID');
    const answer = await request('POST', path, fields, signal);
    const isOver = arrayOf(answer.fields.errors).some((error) => objectOf(error).code === CALL_IS_OVER);
    if (answer.status === 404 || (answer.status === 422 && isOver)) return false;
    if (answer.status >= 300) throw new CarrierRequestError('VB_CARRIER_REQUEST_FAILED', answer.status, 'refused');
    return true;
  }

  return {
    async placeCall(call, signal) {
      // Calls are placed through an application: the one that our number belongs to.
      const numbers = await succeeding(
        'GET',
        `phone_numbers?${new URLSearchParams({ 'filter[phone_number]': call.from })}`,
        undefined,
        signal,
      );
      const fields = {
        ApplicationSid: objectOf(arrayOf(numbers.data)[0]).connection_id,
        From: call.from,
        To: call.to,
        Url: call.answerUrl,
        StatusCallback: call.ringUrl, // one address for all news
        StatusCallbackEvent: 'ringing completed',
        Timeout: call.ringTimeoutS,
        TimeLimit: call.timeLimitS,
        ...(call.machineDetection !== 'off' && {
          MachineDetection: 'Enable',
          AsyncAmd: true,
          AsyncAmdStatusCallback: call.machineUrl,
        }),
      };
      const uncertain = (cause: unknown): never => {
        throw new VoicebotError('VB_CALL_UNCERTAIN', undefined, { cause });
      };
      const placed = await succeeding('POST', `${account}/Calls`, fields, signal).catch((error) => {
        if (error instanceof CarrierRequestError && error.status < 500) throw error;
        return uncertain(error);
      });
      return { callId: isCallControlId(placed.sid) ? placed.sid : uncertain('an answer without the call') };
    },
    async findCalls({ from, to }, signal) {
      const query = new URLSearchParams({ From: from, To: to });
      const { calls } = await succeeding('GET', `${account}/Calls?${query}`, undefined, signal);
      const isUnfinished = ({ status }: Json) => ['queued', 'ringing', 'in-progress'].includes(String(status));
      return arrayOf(calls)
        .map(objectOf)
        .filter(isUnfinished)
        .map(({ sid }) => sid)
        .filter(isCallControlId);
    },
    transfer: async (callId, documentUrl, signal) =>
      (await changeCall(callId, `${account}/Calls/${callId}`, { Url: documentUrl, Method: 'POST' }, signal))
        ? 'transferring'
        : 'no_such_call',
    hangUp: async (callId, signal) =>
      (await changeCall(callId, `calls/${callId}/actions/hangup`, {}, signal)) ? 'ended' : 'already_ended',
    async setWebhooks(applicationId, { answerUrl, hangupUrl }, signal) {
      if (!/^\d{1,20}$/.test(applicationId)) throw new VoicebotError('VB_IDENTIFIER_INVALID');
      const fields = { voice_url: answerUrl, status_callback: hangupUrl };
      await succeeding('PATCH', `texml_applications/${applicationId}`, fields, signal);
    },
    close: async () => {},
  };
}

const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
