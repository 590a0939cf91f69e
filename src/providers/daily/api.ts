import { Agent } from 'undici';
import { VoicebotError } from '../../errors.js';
import { type ApiAnswer, ApiConnection, type ApiRequest, NoAnswerError } from '../../http/api-connection.js';
import type { RoomsCredentials } from '../room-provider.js';
import { type JsonFields, parseFields, textOf } from './json-fields.js';
import { ADDRESS_HINT, refusalOf } from './refusal.js';
import { type Clock, Repeats, realClock } from './repeats.js';
import { RoomsRequestError } from './rooms-request-error.js';

export interface ApiOptions {
  /**
   * Longest wait for the answer of each try, connecting included, in milliseconds, unless the request has its own.
   * Default 10 000.
   */
  timeoutMs?: number;
  clock?: Clock;
}

export interface RepeatableRequest extends ApiRequest {
  /**
   * `always`: it does no harm when it is done twice. `when_busy`: only after a 429, which says that it was not done.
   * Default `when_busy` for POST, else `always`.
   */
  readonly repeat?: 'always' | 'when_busy' | 'never';
}

/** Of one list. */
const MAX_PAGES = 100;
/** @see rooms reference 1.3 */
const PAGE_LIMIT = 100;

/**
 * The REST API of one account. Requests are repeated for at most about ten seconds when the provider is busy (429), and
 * those that do no harm twice also when it is broken (5xx) or the answer is lost.
 * @throws VoicebotError VB_CREDENTIALS_MISSING without a key, VB_CONFIG_INVALID for a key or address that cannot be one
 */
export class DailyApi {
  readonly clock: Clock;
  readonly #connection: ApiConnection;
  readonly #apiKey: string;

  constructor(credentials: RoomsCredentials, { timeoutMs = 10_000, clock = realClock }: ApiOptions) {
    requireUsable(credentials);
    this.clock = clock;
    this.#apiKey = credentials.apiKey;
    this.#connection = new ApiConnection({
      base: credentials.apiUrl.replace(/\/+$/, ''),
      authorization: `Bearer ${credentials.apiKey}`,
      agent: new Agent({ connect: { timeout: timeoutMs } }),
      timeoutMs,
    });
  }

  /**
   * @param what the request, as in "creating the room"
   * @returns the answer's object; empty when it is none
   * @throws RoomsRequestError VB_CREDENTIALS_REFUSED, VB_ROOMS_REQUEST_FAILED
   * @throws VoicebotError VB_ROOMS_UNREACHABLE
   * @throws the signal's reason when that is aborted, unless the request may have been carried out and must not be twice
   */
  async request(what: string, request: RepeatableRequest, signal?: AbortSignal): Promise<JsonFields> {
    const { repeat = request.method === 'POST' ? 'when_busy' : 'always' } = request;
    const repeats = new Repeats(this.clock);
    let mayBeDone = false;
    for (;;) {
      signal?.throwIfAborted();
      const outcome = await this.#try(request, signal);
      if (outcome instanceof NoAnswerError) {
        mayBeDone ||= outcome.mayHaveArrived;
        if (repeat !== 'always') throw this.#lost(what, outcome, mayBeDone, signal);
        signal?.throwIfAborted();
        if (!(await repeats.next(0, signal))) throw this.#unreachable(outcome);
        continue;
      }
      const { status, text, retryAfterMs } = outcome;
      if (status >= 200 && status < 300) return parseFields(text) ?? {};
      mayBeDone ||= status >= 500;
      const mayRepeat = (status === 429 && repeat !== 'never') || (status >= 500 && repeat === 'always');
      if (!mayRepeat || !(await repeats.next(retryAfterMs, signal))) {
        throw refusalOf(what, outcome, [this.#apiKey, ...secretsIn(request.fields)], mayBeDone);
      }
    }
  }

  /**
   * All of a list, newest first. The provider ends it with an empty page.
   * @throws as {@link request}; RoomsRequestError also when the list is none or does not end
   * @see rooms reference 1.3
   */
  async list<Item>(
    what: string,
    path: string,
    read: (item: unknown) => Item | undefined,
    signal?: AbortSignal,
  ): Promise<Item[]> {
    const items: Item[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    while (cursors.size < MAX_PAGES) {
      const query = new URLSearchParams({ limit: String(PAGE_LIMIT), ...(cursor && { starting_after: cursor }) });
      const { data } = await this.request(what, { method: 'GET', path: `${path}?${query}` }, signal);
      if (!Array.isArray(data)) throw unreadable(what, 'a list');
      if (data.length === 0) return items;
      items.push(...data.flatMap((item) => read(item) ?? []));
      cursor = textOf(data.at(-1)?.id);
      if (cursor === undefined || cursors.has(cursor)) throw unreadable(what, 'a list that goes on');
      cursors.add(cursor);
    }
    throw new RoomsRequestError('VB_ROOMS_REQUEST_FAILED', `${what} found more than ${MAX_PAGES} pages`);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #try(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer | NoAnswerError> {
    try {
      return await this.#connection.send(request, signal);
    } catch (error) {
      if (error instanceof NoAnswerError) return error;
      throw error;
    }
  }

  #lost(what: string, cause: NoAnswerError, mayBeDone: boolean, signal?: AbortSignal): unknown {
    if (mayBeDone) {
      const detail = `${what} got no answer (${cause.message}); it may have been carried out`;
      return new RoomsRequestError('VB_ROOMS_REQUEST_FAILED', detail, { cause, mayBeDone });
    }
    return signal?.aborted ? signal.reason : this.#unreachable(cause);
  }

  #unreachable(cause: NoAnswerError): VoicebotError {
    return new VoicebotError('VB_ROOMS_UNREACHABLE', `${this.#connection.origin}: ${cause.message}`, {
      cause,
      hint: 'check the network and ROOMS_API_URL',
    });
  }
}

/** The error for a success whose answer lacks what it should have; the answer is not shown, since it may hold secrets. */
export function unreadable(what: string, missing: string, mayBeDone = false): RoomsRequestError {
  const doubt = mayBeDone ? '; it may have been carried out' : '';
  const detail = `${what} got an answer without ${missing}${doubt}`;
  return new RoomsRequestError('VB_ROOMS_REQUEST_FAILED', detail, { hint: ADDRESS_HINT, status: 200, mayBeDone });
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

function requireUsable({ apiKey, apiUrl }: RoomsCredentials): void {
  if (!apiKey) {
    throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the room provider needs an API key', {
      hint: 'set ROOMS_API_KEY',
    });
  }
  if (!/^[\w.~+/=:-]+$/.test(apiKey)) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'the API key of the room provider has characters no key has', {
      hint: 'check ROOMS_API_KEY for spaces, quotes and line ends',
    });
  }
  if (!URL.canParse(apiUrl) || !/^https?:/i.test(apiUrl)) {
    throw new VoicebotError('VB_CONFIG_INVALID', 'the address of the room provider is not an http(s) address', {
      hint: 'check ROOMS_API_URL',
    });
  }
}
