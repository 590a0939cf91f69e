import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { VoicebotError } from '../../errors.js';
import { type ApiAnswer, ApiConnection, type ApiRequest, NoAnswerError } from '../../http/api-connection.js';
import { CarrierRequestError } from '../carrier-request-error.js';
import type { CarrierCredentials, CarrierRestClient, PlaceCallRequest } from '../contract.js';
import { digitsOf } from './digits.js';
import { isPlivoIdentifier } from './identifier.js';
import { refusalOf, wordsOf } from './refusal.js';

export interface RestClientOptions {
  /** Longest wait for the answer of each try, connecting included, in milliseconds. Default 10 000. */
  timeoutMs?: number;
  /**
   * Wait before the first repetition, in milliseconds; doubles each time, and each time is lengthened by a random part
   * of itself, to at most 2 000. Default 250.
   */
  retryDelayMs?: number;
  /** Waits as long as the carrier asked, in milliseconds; rejects when the signal is aborted. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

/** How often a request that may be repeated is. */
const MAX_REPEATS = 3;
/** The longest of the waits the carrier asks for that is granted, in milliseconds. */
const MAX_WAIT_MS = 5_000;
/** The wait after a 429 that names none, in milliseconds. */
const DEFAULT_WAIT_MS = 1_000;
/** How long a call to be placed may be put off in all, in milliseconds. */
const MAX_PUT_OFF_MS = 10_000;
/** How many queued calls are looked at to find one. */
const MAX_QUEUED_CALLS = 20;

/**
 * A client of the voice API. Reads, hang-ups and transfers, which do no harm when they are done twice, are tried up to
 * four times when the carrier is unreachable, silent, busy (429) or broken (5xx). Calls are placed and applications
 * changed once. An aborted `signal` rejects with its own reason; when a call to be placed may be on its way by then, with
 * VB_CALL_UNCERTAIN.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the auth id is not of the
 *   carrier's form
 * @see reference 1.1 to 1.5
 */
export async function createPlivoRestClient(
  credentials: CarrierCredentials,
  { timeoutMs = 10_000, retryDelayMs = 250, wait = defaultWait }: RestClientOptions = {},
): Promise<CarrierRestClient> {
  if (!credentials.authId || !credentials.authToken) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the carrier needs an auth id and an auth token', {
      hint: 'set CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
    });
  }
  requireIdentifier(credentials.authId, 'auth id');
  // Loaded here so that processes which never make a request do not carry it.
  const { Agent } = await import('undici');
  const agent = new Agent({ connect: { timeout: timeoutMs } });
  const { authId, authToken, apiUrl } = credentials;
  const basic = Buffer.from(`${authId}:${authToken}`).toString('base64');
  const api = new ApiConnection({
    base: `${apiUrl.replace(/\/+$/, '')}/Account/${authId}/`,
    // A scoped token stands for itself (reference 1.1).
    authorization: authToken.startsWith('stk_') ? `Bearer ${authToken}` : `Basic ${basic}`,
    agent,
    timeoutMs,
  });

  const words = ({ text }: ApiAnswer) =>
    wordsOf(text.replaceAll(authToken, '[redacted]').replaceAll(basic, '[redacted]'));
  const refusal = (what: string, answer: ApiAnswer) => refusalOf(what, answer, words(answer));
  const unreachable = (error: unknown) =>
    new VoicebotError('VB_CARRIER_UNREACHABLE', `${api.origin}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check the network and CARRIER_API_URL',
    });
  const uncertain = (detail: string, options?: ErrorOptions) =>
    new VoicebotError('VB_CALL_UNCERTAIN', detail, {
      ...options,
      hint: 'look the call up before you dial the number again',
    });

  async function once(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    try {
      return await api.send(request, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw unreachable(error);
    }
  }

  /** For requests that do no harm when they are done twice. Gives a success, or a 404. */
  function repeated(what: string, request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    const attempt = async () => {
      const answer = await once(request, signal);
      if (isSuccess(answer) || answer.status === 404) return answer;
      throw refusal(what, answer);
    };
    return pRetry(attempt, {
      retries: MAX_REPEATS,
      minTimeout: retryDelayMs,
      maxTimeout: 2_000,
      randomize: true,
      ...(signal && { signal }),
      shouldRetry: ({ error }) => isPassing(error),
      async onFailedAttempt({ error, retriesLeft }) {
        if (!(error instanceof CarrierRequestError) || !error.retryable || retriesLeft === 0) return;
        const askedMs = Math.min(error.retryAfterMs ?? 0, MAX_WAIT_MS);
        if (askedMs > 0) await wait(askedMs, signal);
      },
    });
  }

  async function read(what: string, path: string, signal?: AbortSignal): Promise<Record<string, unknown> | undefined> {
    const answer = await repeated(what, { method: 'GET', path }, signal);
    if (answer.status === 404) return undefined;
    const fields = parseObject(answer.text);
    if (!fields) throw refusalOf(what, answer, 'the answer is not a JSON object');
    return fields;
  }

  async function listCalls(query: Record<string, string>, signal?: AbortSignal): Promise<readonly string[]> {
    const what = 'listing calls';
    const list = await read(what, `Call/?${new URLSearchParams(query)}`, signal);
    if (!Array.isArray(list?.calls)) {
      throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `${what} got an answer without a list`);
    }
    return list.calls.filter(isPlivoIdentifier);
  }

  /** The calls between two numbers that wait for the carrier to dial them; the list cannot be asked for the numbers. */
  async function findQueuedCalls(from: string, to: string, signal?: AbortSignal) {
    const queued = await listCalls({ status: 'queued' }, signal);
    const isBetween = async (callId: string) => {
      // Unknown when it has left the queue since.
      const call = await read('reading a queued call', `Call/${callId}/?status=queued`, signal);
      return call !== undefined && digits(call.from) === from && digits(call.to) === to;
    };
    const looked = queued.slice(0, MAX_QUEUED_CALLS);
    const matches = await Promise.all(looked.map(isBetween));
    return { found: looked.filter((_, at) => matches[at]), isWhole: looked.length === queued.length };
  }

  /** One try. Fails where the carrier may have taken the call, and where it cannot have heard of it. */
  async function dial(fields: object, signal?: AbortSignal): Promise<ApiAnswer> {
    let answer: ApiAnswer;
    try {
      answer = await api.send({ method: 'POST', path: 'Call/', fields }, signal);
    } catch (error) {
      if (error instanceof NoAnswerError && error.mayHaveArrived) throw uncertain(error.message, { cause: error });
      signal?.throwIfAborted();
      throw unreachable(error);
    }
    if (answer.status >= 500) throw uncertain(`dialling got status ${answer.status}: ${words(answer)}`);
    return answer;
  }

  return {
    async placeCall(request, signal) {
      const fields = callFields(request);
      let answer = await dial(fields, signal);
      for (let repeats = 0, putOffMs = 0; answer.status === 429 && repeats < MAX_REPEATS; repeats += 1) {
        const askedMs = Math.min(answer.retryAfterMs ?? DEFAULT_WAIT_MS, MAX_WAIT_MS);
        putOffMs += askedMs;
        if (putOffMs > MAX_PUT_OFF_MS) break;
        await wait(askedMs, signal);
        answer = await dial(fields, signal);
      }
      if (!isSuccess(answer)) throw refusal('dialling', answer);
      const accepted = parseObject(answer.text);
      if (!accepted) throw uncertain(`dialling got status ${answer.status} and an answer that cannot be read`);
      // An array for several destinations, which are never asked for (reference 1.2).
      const callId = [accepted.request_uuid].flat()[0];
      return { callId: isPlivoIdentifier(callId) ? callId : undefined };
    },
    async findCalls(numbers, signal) {
      const from = digitsOf(numbers.from);
      const to = digitsOf(numbers.to);
      // The queue first: a call that leaves it meanwhile is live by the time of the second look.
      const queued = await findQueuedCalls(from, to, signal);
      const query = { status: 'live', call_direction: 'outbound', from_number: from, to_number: to };
      const found = [...new Set([...queued.found, ...(await listCalls(query, signal))])];
      if (found.length > 0 || queued.isWhole) return found;
      throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `more than ${MAX_QUEUED_CALLS} calls wait at the carrier`, {
        hint: 'look again when fewer calls are queued',
      });
    },
    async transfer(callId, documentUrl, signal) {
      requireIdentifier(callId, 'call id');
      const fields = { legs: 'aleg', aleg_url: documentUrl, aleg_method: 'POST' };
      const answer = await repeated('transferring', { method: 'POST', path: `Call/${callId}/`, fields }, signal);
      return answer.status === 404 ? 'no_such_call' : 'transferring';
    },
    async hangUp(callId, signal) {
      requireIdentifier(callId, 'call id');
      // A call that is queued or rings goes by the other path (reference 1.3).
      for (const kind of ['Call', 'Request']) {
        const answer = await repeated('hanging up', { method: 'DELETE', path: `${kind}/${callId}/` }, signal);
        if (answer.status !== 404) return 'ended';
      }
      return 'already_ended';
    },
    async setWebhooks(applicationId, { answerUrl, hangupUrl }, signal) {
      requireIdentifier(applicationId, 'application id');
      const fields = { answer_url: answerUrl, hangup_url: hangupUrl };
      const answer = await once({ method: 'POST', path: `Application/${applicationId}/`, fields }, signal);
      if (!isSuccess(answer)) throw refusal('changing the application', answer);
    },
    close: () => api.close(),
  };
}

/** @see reference 1.2 */
function callFields(request: PlaceCallRequest): object {
  const { answerUrl, ringUrl, hangupUrl, machineUrl, machineDetection, ringTimeoutS, timeLimitS } = request;
  return {
    from: digitsOf(request.from),
    to: digitsOf(request.to),
    answer_url: answerUrl,
    answer_method: 'POST',
    ring_url: ringUrl,
    ring_method: 'POST',
    hangup_url: hangupUrl,
    hangup_method: 'POST',
    ring_timeout: ringTimeoutS,
    time_limit: timeLimitS,
    ...(machineDetection !== 'off' && {
      machine_detection: machineDetection === 'report' ? 'true' : 'hangup',
      machine_detection_url: machineUrl,
      machine_detection_method: 'POST',
    }),
  };
}

const defaultWait = (ms: number, signal?: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch((error) => {
    signal?.throwIfAborted();
    throw error;
  });

const isSuccess = ({ status }: ApiAnswer) => status >= 200 && status < 300;

/** Whether the same request may succeed later. */
const isPassing = (error: Error) =>
  error instanceof CarrierRequestError
    ? error.retryable
    : error instanceof VoicebotError && error.code === 'VB_CARRIER_UNREACHABLE';

/** A number as the carrier writes it, with or without `+`. */
const digits = (number: unknown) => String(number ?? '').replace(/^\+/, '');

function requireIdentifier(value: string, what: string): void {
  // The value stays out of the message: a token pasted in the place of an identifier would be shown.
  if (!isPlivoIdentifier(value)) {
    throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be 1 to 64 letters, digits, "-" or "_"`);
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
