import { VoicebotError } from '../../errors.js';
import { type ApiAnswer, NoAnswerError } from '../../http/api-connection.js';
import type { CarrierCredentials, CarrierRestClient, PlaceCallRequest } from '../carrier.js';
import {
  AccountApi,
  type AccountApiOptions,
  isSuccess,
  MAX_REPEATS,
  MAX_WAIT_MS,
  parseObject,
  requireIdentifier,
} from './account-api.js';
import { digitsOf } from './digits.js';
import { isPlivoIdentifier } from './identifier.js';

/** The wait after a 429 that names none, in milliseconds. */
const DEFAULT_WAIT_MS = 1_000;
/** How long a call to be placed may be put off in all, in milliseconds. */
const MAX_PUT_OFF_MS = 10_000;
/** How many queued calls are looked at to find one. */
const MAX_QUEUED_CALLS = 20;

/**
 * A client of the voice API. Reads, hang-ups and transfers, which do no harm when they are done twice, are tried up to
 * four times when the carrier is unreachable, silent, busy (429) or broken (5xx). Calls are placed
 * once. An aborted `signal` rejects with its own reason; when a call to be placed may be on its way by then, with
 * VB_CALL_UNCERTAIN.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the auth id is not of the
 *   carrier's form
 * @see reference 1.1 to 1.5
 */
export async function createPlivoRestClient(
  credentials: CarrierCredentials,
  options?: AccountApiOptions,
): Promise<CarrierRestClient> {
  const api = await AccountApi.open(credentials, options);

  const uncertain = (detail: string, options?: ErrorOptions) =>
    new VoicebotError('VB_CALL_UNCERTAIN', detail, {
      ...options,
      hint: 'look the call up before you dial the number again',
    });

  async function listCalls(query: Record<string, string>, signal?: AbortSignal): Promise<readonly string[]> {
    const what = 'listing calls';
    const list = await api.read(what, `Call/?${new URLSearchParams(query)}`, signal);
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
      const call = await api.read('reading a queued call', `Call/${callId}/?status=queued`, signal);
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
      throw api.unreachable(error);
    }
    if (answer.status >= 500) throw uncertain(`dialling got status ${answer.status}: ${api.words(answer)}`);
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
        await api.wait(askedMs, signal);
        answer = await dial(fields, signal);
      }
      if (!isSuccess(answer)) throw api.refusal('dialling', answer);
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
      const answer = await api.repeated('transferring', { method: 'POST', path: `Call/${callId}/`, fields }, signal);
      return answer.status === 404 ? 'no_such_call' : 'transferring';
    },
    async hangUp(callId, signal) {
      requireIdentifier(callId, 'call id');
      // A call that is queued or rings goes by the other path (reference 1.3).
      for (const kind of ['Call', 'Request']) {
        const answer = await api.repeated('hanging up', { method: 'DELETE', path: `${kind}/${callId}/` }, signal);
        if (answer.status !== 404) return 'ended';
      }
      return 'already_ended';
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

/** A number as the carrier writes it, with or without `+`. */
const digits = (number: unknown) => String(number ?? '').replace(/^\+/, '');
