import { VoicebotError } from '../../base/errors.js';
import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';
import { RestClient, type RestOptions } from '../../base/http/rest-client.js';
import { addressHints, namesOf } from '../account-names.js';
import type { CarrierCredentials } from '../carrier.js';
import { requireSid } from './identifier.js';
import { refusalOf } from './refusal.js';

/** Objects of a page; the carrier takes up to 1000. */
const PAGE_SIZE = 100;
/** Of one list. */
const MAX_PAGES = 200;

/**
 * The REST API of one account. An API key signs in where there is one, else the account with its auth token. An aborted
 * `signal` rejects with its own reason.
 * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the account SID is not of the
 *   carrier's form
 * @see carrier reference 7.1
 */
export function openApi(credentials: CarrierCredentials, options?: RestOptions): RestClient {
  const { authId, authToken, apiKey, apiUrl } = credentials;
  const names = namesOf(credentials);
  const [user, password] = apiKey ? [apiKey.id, apiKey.secret] : [authId, authToken];
  if (!authId || !user || !password) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the carrier needs an account SID and an auth token or API key', {
      hint: `set ${names.signIn}`,
    });
  }
  requireSid(authId, 'AC', 'account SID');
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const secrets = [authToken, password, basic];
  return new RestClient(
    {
      base: `${apiUrl.replace(/\/+$/, '')}/Accounts/${authId}/`,
      authorization: `Basic ${basic}`,
      repeats: { times: 3 },
      codes: { failed: 'VB_CARRIER_REQUEST_FAILED', unreachable: 'VB_CARRIER_UNREACHABLE' },
      ...addressHints(names),
      refusal: (what, answer, _request, mayBeDone) => refusalOf(what, answer, secrets, mayBeDone, names),
    },
    options,
  );
}

/**
 * All objects of a list.
 * @param path as in `Calls.json`
 * @param name what the answer calls them
 */
export function listAll(
  api: RestClient,
  what: string,
  path: string,
  name: string,
  filter: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<JsonFields[]> {
  const first = `${path}?${new URLSearchParams({ ...filter, PageSize: String(PAGE_SIZE) })}`;
  const readPage = (page: JsonFields | undefined) => {
    const objects = page?.[name];
    if (!Array.isArray(objects)) throw api.stranger(`${what} got an answer without a list`);
    // Only the query of the next page's address is used: where our credentials go is for us to say.
    const [, query] = textOf(page?.next_page_uri)?.split('?', 2) ?? [];
    return { items: objects.filter(isFields), next: query === undefined ? undefined : `${path}?${query}` };
  };
  return api.list(what, { path: first, maxPages: MAX_PAGES }, readPage, signal);
}
