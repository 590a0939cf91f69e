import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { ProviderRequestError, unlessNotFound } from '../../base/http/provider-request-error.js';
import type { RestOptions } from '../../base/http/rest-client.js';
import { asProviderCallId, type ProviderCallId } from '../../call/call-id.js';
import { namesOf } from '../account-names.js';
import type { CarrierCredentials, CarrierRestClient, PlaceCallRequest } from '../carrier.js';
import { oneNumber } from '../dialled-number.js';
import { placeOnce } from '../place-once.js';
import { openApi } from './api.js';
import { CallingAccount } from './calling-account.js';
import { isTelnyxIdentifier, requireIdentifier } from './identifier.js';
import { RING_TIMEOUT, within } from './limits.js';
import { isCallOver } from './refusal.js';

/** How long a call may last, in seconds. */
const TIME_LIMIT = { least: 30, most: 14_400 };

const UNFINISHED = ['queued', 'initiated', 'ringing', 'in-progress'];
/** Of the calls between two numbers, finished ones among them. */
const PAGE_SIZE = '100';
const MAX_PAGES = 20;

/**
 * A client of the voice API, by TeXML. Reads, hang-ups and transfers, which do no harm when they are done twice, are tried
 * up to four times when the carrier is unreachable, silent, busy (429) or broken (5xx). Calls are placed once. An aborted
 * `signal` rejects with its own reason; when a call to be placed may be on its way by then, with VB_CALL_UNCERTAIN.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when the key is empty
 * @see carrier reference 7.2
 */
export async function createTelnyxRestClient(
  credentials: CarrierCredentials,
  options?: RestOptions,
): Promise<CarrierRestClient> {
  const api = openApi(credentials, options);
  const account = new CallingAccount(api, namesOf(credentials));
  const callsPath = async (signal?: AbortSignal) => `texml/Accounts/${await account.accountId(signal)}/Calls`;

  /** @returns whether there was such a call */
  async function change(
    what: string,
    providerCallId: ProviderCallId,
    form: Record<string, string>,
    signal?: AbortSignal,
  ) {
    requireIdentifier(providerCallId, 'call id');
    const path = `${await callsPath(signal)}/${providerCallId}`;
    const request = { method: 'POST', path, form: new URLSearchParams(form), repeat: 'always' } as const;
    return (await unlessNotFound(api.request(what, request, signal), isCallOver)) !== undefined;
  }

  return {
    async placeCall(request, signal) {
      oneNumber(request.to);
      const path = await callsPath(signal);
      const applicationId = await account.applicationOf(request.from, signal);
      try {
        const fields = callFields(request, applicationId);
        const answer = await placeOnce(api, { path, fields }, signal);
        const providerCallId = answer.call_sid ?? answer.sid;
        return { providerCallId: isTelnyxIdentifier(providerCallId) ? asProviderCallId(providerCallId) : undefined };
      } catch (error) {
        if (error instanceof ProviderRequestError) account.forgetApplicationOf(request.from);
        throw error;
      }
    },
    async findCalls({ from, to }, signal) {
      const path = await callsPath(signal);
      const pagePath = (page: Record<string, string>) =>
        `${path}?${new URLSearchParams({ From: oneNumber(from), To: oneNumber(to), PageSize: PAGE_SIZE, ...page })}`;
      const what = 'listing calls';
      const readPage = (page: JsonFields | undefined) => {
        if (!Array.isArray(page?.calls)) throw api.failure(`${what} got an answer without a list`);
        const next = nextPage(page.next_page_uri);
        return { items: page.calls.filter(isFields), next: next && pagePath(next) };
      };
      const calls = await api.list(what, { path: pagePath({}), maxPages: MAX_PAGES }, readPage, signal);
      return calls.filter(isUnfinished).flatMap(({ sid }) => (isTelnyxIdentifier(sid) ? asProviderCallId(sid) : []));
    },
    async transfer(providerCallId, documentUrl, signal) {
      const isLive = await change('transferring', providerCallId, { Url: documentUrl, Method: 'POST' }, signal);
      return isLive ? 'transferring' : 'no_such_call';
    },
    async hangUp(providerCallId, signal) {
      const isLive = await change('hanging up', providerCallId, { Status: 'completed' }, signal);
      return isLive ? 'ended' : 'already_ended';
    },
    close: () => api.close(),
  };
}

const isUnfinished = ({ status, direction }: JsonFields) =>
  UNFINISHED.includes(status as string) && (typeof direction !== 'string' || direction.startsWith('outbound'));

/** Of the address of the next page only what names the page: where our key goes is for us to say. */
function nextPage(uri: unknown): Record<string, string> | undefined {
  if (typeof uri !== 'string' || !uri.includes('?')) return undefined;
  const query = new URLSearchParams(uri.slice(uri.indexOf('?')));
  const named = ['Page', 'PageToken'].flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : []));
  return named.length > 0 ? Object.fromEntries(named) : undefined;
}

function callFields(request: PlaceCallRequest, applicationId: string): object {
  const { from, to, answerUrl, ringUrl, machineUrl, machineDetection, ringTimeoutS, timeLimitS } = request;
  return {
    ApplicationSid: applicationId,
    From: from,
    To: to,
    Url: answerUrl,
    UrlMethod: 'POST',
    StatusCallback: ringUrl, // one address for all events
    StatusCallbackMethod: 'POST',
    StatusCallbackEvent: 'ringing completed',
    Timeout: within(RING_TIMEOUT, ringTimeoutS),
    TimeLimit: within(TIME_LIMIT, timeLimitS),
    ...(machineDetection !== 'off' && {
      MachineDetection: 'Enable',
      AsyncAmd: true, // the other way holds the bot back until it is decided
      AsyncAmdStatusCallback: machineUrl,
      AsyncAmdStatusCallbackMethod: 'POST',
    }),
  };
}
