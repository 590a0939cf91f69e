import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields } from '../../base/http/json-fields.js';
import { unlessNotFound } from '../../base/http/provider-request-error.js';
import { RestClient, type RestOptions } from '../../base/http/rest-client.js';
import type { CarrierCredentials } from '../carrier.js';
import { requireIdentifier } from './identifier.js';
import { refusalOf } from './refusal.js';

/** The most objects of a page (carrier reference 1.1). */
const PAGE_LIMIT = 20;
/** Of one list. */
const MAX_PAGES = 500;

/**
 * The REST API of one account. An aborted `signal` rejects with its own reason.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the auth id is not of the
 *   carrier's form
 * @see carrier reference 1.1
 */
export function openApi({ authId, authToken, apiUrl }: CarrierCredentials, options?: RestOptions): RestClient {
  if (!authId || !authToken) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the carrier needs an auth id and an auth token', {
      hint: 'set CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
    });
  }
  requireIdentifier(authId, 'auth id');
  const basic = Buffer.from(`${authId}:${authToken}`).toString('base64');
  return new RestClient(
    {
      base: `${apiUrl.replace(/\/+$/, '')}/Account/${authId}/`,
      // A scoped token stands for itself (carrier reference 1.1).
      authorization: authToken.startsWith('stk_') ? `Bearer ${authToken}` : `Basic ${basic}`,
      repeats: { times: 3 },
      codes: { failed: 'VB_CARRIER_REQUEST_FAILED', unreachable: 'VB_CARRIER_UNREACHABLE' },
      unreachableHint: 'check the network and CARRIER_API_URL',
      refusal: (what, answer, _request, mayBeDone) => refusalOf(what, answer, [authToken, basic], mayBeDone),
    },
    options,
  );
}

/** @returns undefined for a 404 */
export async function readObject(
  api: RestClient,
  what: string,
  path: string,
  signal?: AbortSignal,
): Promise<JsonFields | undefined> {
  const answer = await unlessNotFound(api.request(what, { method: 'GET', path }, signal));
  if (!answer) return undefined;
  const { status, fields } = answer;
  return fields ?? Promise.reject(api.failure(`${what} got status ${status}: the answer is not a JSON object`, status));
}

/** All objects of a list. @see carrier reference 1.1 */
export function listAll(
  api: RestClient,
  what: string,
  path: string,
  filter: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<JsonFields[]> {
  let offset = 0;
  const pagePath = () =>
    `${path}?${new URLSearchParams({ ...filter, limit: String(PAGE_LIMIT), offset: String(offset) })}`;
  const readPage = (page: JsonFields | undefined) => {
    const objects: unknown = page?.objects;
    if (!Array.isArray(objects)) throw api.failure(`${what} got an answer without a list`);
    offset += objects.length;
    // The address of the next page is left alone: where our credentials go is for us to say.
    const goesOn = objects.length > 0 && isFields(page?.meta) && Boolean(page.meta.next);
    return { items: objects.filter(isFields), next: goesOn ? pagePath() : undefined };
  };
  return api.list(what, { path: pagePath(), maxPages: MAX_PAGES }, readPage, signal);
}
