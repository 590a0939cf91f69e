import { VoicebotError } from '../../base/errors.js';
import { unlessNotFound } from '../../base/http/provider-request-error.js';
import type { RestOptions } from '../../base/http/rest-client.js';
import { asProviderCallId } from '../../call/call-id.js';
import { readObject } from '../account-objects.js';
import type { CarrierCredentials, CarrierRestClient, PlaceCallRequest } from '../carrier.js';
import { placeOnce } from '../place-once.js';
import { openApi } from './api.js';
import { digitsOf } from './digits.js';
import { isPlivoIdentifier, requireIdentifier } from './identifier.js';

/** How many queued calls are looked at to find one. */
const MAX_QUEUED_CALLS = 20;

/**
 * A client of the voice API. Reads, hang-ups and transfers, which do no harm when they are done twice, are tried up to
 * four times when the carrier is unreachable, silent, busy (429) or broken (5xx). Calls are placed
 * once. An aborted `signal` rejects with its own reason; when a call to be placed may be on its way by then, with
 * VB_CALL_UNCERTAIN.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the auth id is not of the
 *   carrier's form
 * @see carrier reference 1.1 to 1.5
 */
export async function createPlivoRestClient(
  credentials: CarrierCredentials,
  options?: RestOptions,
): Promise<CarrierRestClient> {
  const api = openApi(credentials, options);

  async function listCalls(query: Record<string, string>, signal?: AbortSignal): Promise<readonly string[]> {
    const what = 'listing calls';
    const list = await readObject(api, what, `Call/?${new URLSearchParams(query)}`, signal);
    if (!Array.isArray(list?.calls)) {
      throw api.failure(`${what} got an answer without a list`);
    }
    return list.calls.filter(isPlivoIdentifier);
  }

  /** The calls between two numbers that wait for the carrier to dial them; the list cannot be asked for the numbers. */
  async function findQueuedCalls(from: string, to: string, signal?: AbortSignal) {
    const queued = await listCalls({ status: 'queued' }, signal);
    const isBetween = async (providerCallId: string) => {
      // Unknown when it has left the queue since.
      const call = await readObject(api, 'reading a queued call', `Call/${providerCallId}/?status=queued`, signal);
      return call !== undefined && digits(call.from) === from && digits(call.to) === to;
    };
    const looked = queued.slice(0, MAX_QUEUED_CALLS);
    const matches = await Promise.all(looked.map(isBetween));
    return { found: looked.filter((_, at) => matches[at]), isWhole: looked.length === queued.length };
  }

  return {
    async placeCall(request, signal) {
      const fields = await placeOnce(api, { path: 'Call/', fields: callFields(request) }, signal);
      // An array for several destinations, which are never asked for (carrier reference 1.2).
      const providerCallId = [fields.request_uuid].flat()[0];
      return { providerCallId: isPlivoIdentifier(providerCallId) ? asProviderCallId(providerCallId) : undefined };
    },
    async findCalls(numbers, signal) {
      const from = digitsOf(numbers.from);
      const to = digitsOf(numbers.to);
      // The queue first: a call that leaves it meanwhile is live by the time of the second look.
      const queued = await findQueuedCalls(from, to, signal);
      const query = { status: 'live', call_direction: 'outbound', from_number: from, to_number: to };
      const found = [...new Set([...queued.found, ...(await listCalls(query, signal))])].map(asProviderCallId);
      if (found.length > 0 || queued.isWhole) return found;
      throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `more than ${MAX_QUEUED_CALLS} calls wait at the carrier`, {
        hint: 'look again when fewer calls are queued',
      });
    },
    async transfer(providerCallId, documentUrl, signal) {
      requireIdentifier(providerCallId, 'call id');
      const fields = { legs: 'aleg', aleg_url: documentUrl, aleg_method: 'POST' };
      const request = { method: 'POST', path: `Call/${providerCallId}/`, fields, repeat: 'always' } as const;
      return (await unlessNotFound(api.request('transferring', request, signal))) ? 'transferring' : 'no_such_call';
    },
    async hangUp(providerCallId, signal) {
      requireIdentifier(providerCallId, 'call id');
      // A call that is queued or rings goes by the other path (carrier reference 1.3).
      for (const kind of ['Call', 'Request']) {
        const request = { method: 'DELETE', path: `${kind}/${providerCallId}/` } as const;
        if (await unlessNotFound(api.request('hanging up', request, signal))) return 'ended';
      }
      return 'already_ended';
    },
    close: () => api.close(),
  };
}

/** @see carrier reference 1.2 */
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
