import { VoicebotError } from '../../base/errors.js';
import { type JsonFields, textOf } from '../../base/http/json-fields.js';
import { ProviderRequestError } from '../../base/http/provider-request-error.js';
import { RestClient, type RestOptions } from '../../base/http/rest-client.js';
import type { RoomsCredentials } from '../rooms/room-provider.js';
import { refusalOf } from './refusal.js';

/** Unless the person has used another. */
const KEY_NAME = 'ROOMS_API_KEY';
/** Of one list. */
const MAX_PAGES = 100;
/** @see rooms reference 1.3 */
const PAGE_LIMIT = 100;

/** Something else answers there. */
const ADDRESS_HINT = "check ROOMS_API_URL: the provider's REST API does not answer so";

/**
 * The REST API of one account. Requests are repeated for at most about ten seconds.
 * @throws VoicebotError VB_CREDENTIALS_MISSING without a key, VB_CONFIG_INVALID for a key or address that cannot be one
 */
export function openApi(credentials: RoomsCredentials, options?: RestOptions): RestClient {
  requireUsable(credentials);
  const { apiKey, apiUrl, keyName = KEY_NAME } = credentials;
  const profile = {
    base: apiUrl.replace(/\/+$/, ''),
    authorization: `Bearer ${apiKey}`,
    repeats: { times: 4, withinMs: 10_000 },
    codes: { failed: 'VB_ROOMS_REQUEST_FAILED', unreachable: 'VB_ROOMS_UNREACHABLE' },
    unreachableHint: 'check the network and ROOMS_API_URL',
    strangerHint: ADDRESS_HINT,
  } as const;
  return new RestClient(
    {
      ...profile,
      refusal: (what, answer, { fields }, mayBeDone) =>
        refusalOf(what, answer, [apiKey, ...secretsIn(fields)], mayBeDone, keyName),
    },
    options,
  );
}

/**
 * All of a list, newest first. The provider ends it with an empty page.
 * @throws as {@link RestClient.request}; ProviderRequestError also when the list is none or does not end
 * @see rooms reference 1.3
 */
export function listAll<Item>(
  api: RestClient,
  what: string,
  path: string,
  read: (item: unknown) => Item | undefined,
  signal?: AbortSignal,
): Promise<Item[]> {
  const cursors = new Set<string>();
  const pagePath = `${path}?limit=${PAGE_LIMIT}`;
  const readPage = (fields: JsonFields | undefined) => {
    const data: unknown = fields?.data;
    if (!Array.isArray(data)) throw unreadable(what, 'a list');
    if (data.length === 0) return { items: [], next: undefined };
    const cursor = textOf(data.at(-1)?.id);
    if (cursor === undefined || cursors.has(cursor)) throw unreadable(what, 'a list that goes on');
    cursors.add(cursor);
    const next = `${pagePath}&${new URLSearchParams({ starting_after: cursor })}`;
    return { items: data.flatMap((item) => read(item) ?? []), next };
  };
  return api.list(what, { path: pagePath, maxPages: MAX_PAGES }, readPage, signal);
}

/** The error for a success whose answer lacks what it should have; the answer is not shown, since it may hold secrets. */
export function unreadable(what: string, missing: string, mayBeDone = false): ProviderRequestError {
  const doubt = mayBeDone ? '; it may have been carried out' : '';
  const detail = `${what} got an answer without ${missing}${doubt}`;
  return new ProviderRequestError('VB_ROOMS_REQUEST_FAILED', detail, { hint: ADDRESS_HINT, status: 200, mayBeDone });
}

/** The secrets of dial-in settings, wherever they are in a request. */
function secretsIn(fields: object | undefined): string[] {
  const secrets: string[] = [];
  JSON.stringify(fields, (name, value) => {
    if (name === 'hmac' && typeof value === 'string') secrets.push(value);
    return value;
  });
  return secrets;
}

function requireUsable({ apiKey, apiUrl, keyName = KEY_NAME }: RoomsCredentials): void {
  if (!apiKey) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the room provider needs an API key', {
      hint: `set ${keyName}`,
    });
  }
  if (!/^[\w.~+/=:-]+$/.test(apiKey)) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'the API key of the room provider has characters no key has', {
      hint: `check ${keyName} for spaces, quotes and line ends`,
    });
  }
  if (!URL.canParse(apiUrl) || !/^https?:/i.test(apiUrl)) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'the address of the room provider is not an http(s) address', {
      hint: 'check ROOMS_API_URL',
    });
  }
}
