import { unlessNotFound } from '../../base/http/provider-request-error.js';
import type { RestOptions } from '../../base/http/rest-client.js';
import { asProviderCallId, type ProviderCallId } from '../../call/call-id.js';
import type { CarrierCredentials, CarrierRestClient, PlaceCallRequest } from '../carrier.js';
import { oneNumber } from '../dialled-number.js';
import { placeOnce } from '../place-once.js';
import { listAll, openApi } from './api.js';
import { isSid, requireSid } from './identifier.js';
import { isOver } from './refusal.js';

/** Of calls that are not over. */
const UNFINISHED = ['queued', 'ringing', 'in-progress'];

/**
 * A client of the voice API. Reads, hang-ups and transfers, which do no harm when they are done twice, are tried up to
 * four times when the carrier is unreachable, silent, busy (429) or broken (5xx). Calls are placed once. An aborted
 * `signal` rejects with its own reason; when a call to be placed may be on its way by then, with VB_CALL_UNCERTAIN.
 * @throws VoicebotError VB_CREDENTIALS_MISSING, VB_IDENTIFIER_INVALID
 * @see carrier reference 7.1
 */
export async function createTwilioRestClient(
  credentials: CarrierCredentials,
  options?: RestOptions,
): Promise<CarrierRestClient> {
  const api = openApi(credentials, options);

  /** @returns false when the call is over */
  async function change(
    what: string,
    providerCallId: ProviderCallId,
    fields: Record<string, string>,
    signal?: AbortSignal,
  ) {
    requireSid(providerCallId, 'CA', 'call SID');
    const form = new URLSearchParams(fields);
    const request = { method: 'POST', path: `Calls/${providerCallId}.json`, form, repeat: 'always' } as const;
    return (await unlessNotFound(api.request(what, request, signal), isOver)) !== undefined;
  }

  return {
    async placeCall(request, signal) {
      const { sid } = await placeOnce(api, { path: 'Calls.json', form: callForm(request) }, signal);
      return { providerCallId: isSid(sid, 'CA') ? asProviderCallId(sid) : undefined };
    },
    async findCalls(numbers, signal) {
      const between = { From: oneNumber(numbers.from), To: oneNumber(numbers.to) };
      const found: string[] = [];
      // In the order a call goes through them: one that moves on meanwhile is found in the next.
      for (const Status of UNFINISHED) {
        const calls = await listAll(api, 'listing calls', 'Calls.json', 'calls', { ...between, Status }, signal);
        const outbound = calls.filter(({ direction }) => direction !== 'inbound');
        found.push(...outbound.map(({ sid }) => sid).filter((sid) => isSid(sid, 'CA')));
      }
      return [...new Set(found)].map(asProviderCallId);
    },
    async transfer(providerCallId, documentUrl, signal) {
      const fields = { Url: documentUrl, Method: 'POST' };
      return (await change('transferring', providerCallId, fields, signal)) ? 'transferring' : 'no_such_call';
    },
    async hangUp(providerCallId, signal) {
      // Ends calls that are queued or ring as well.
      const fields = { Status: 'completed' };
      return (await change('hanging up', providerCallId, fields, signal)) ? 'ended' : 'already_ended';
    },
    close: () => api.close(),
  };
}

function callForm(request: PlaceCallRequest): URLSearchParams {
  const { answerUrl, ringUrl, machineUrl, machineDetection, ringTimeoutS, timeLimitS } = request;
  const form = new URLSearchParams({
    From: oneNumber(request.from),
    To: oneNumber(request.to),
    Url: answerUrl,
    Method: 'POST',
    // One address is told all events.
    StatusCallback: ringUrl,
    StatusCallbackMethod: 'POST',
    Timeout: String(ringTimeoutS),
    TimeLimit: String(timeLimitS),
  });
  for (const event of ['ringing', 'completed']) form.append('StatusCallbackEvent', event);
  if (machineDetection === 'off') return form;
  // In the background, or the caller would hear silence meanwhile. The carrier only reports: to hang up is ours.
  form.append('MachineDetection', 'Enable');
  form.append('AsyncAmd', 'true');
  form.append('AsyncAmdStatusCallback', machineUrl);
  form.append('AsyncAmdStatusCallbackMethod', 'POST');
  return form;
}
