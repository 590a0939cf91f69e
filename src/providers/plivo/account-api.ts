import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { VoicebotError } from '../../errors.js';
import { type ApiAnswer, ApiConnection, type ApiRequest } from '../../http/api-connection.js';
import type { CarrierCredentials } from '../carrier.js';
import { CarrierRequestError } from '../carrier-request-error.js';
import { isPlivoIdentifier } from './identifier.js';
import { refusalOf, wordsOf } from './refusal.js';

export interface AccountApiOptions {
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

export type JsonFields = Readonly<Record<string, unknown>>;

/** How often a request that may be repeated is. */
export const MAX_REPEATS = 3;
/** The longest of the waits the carrier asks for that is granted, in milliseconds. */
export const MAX_WAIT_MS = 5_000;
const MAX_RETRY_DELAY_MS = 2_000;
/** The most objects of a page (reference 1.1). */
const PAGE_LIMIT = 20;
/** Of one list. */
const MAX_PAGES = 500;

/** The REST API of one account. An aborted `signal` rejects with its own reason. @see reference 1.1 */
export class AccountApi {
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<unknown>;
  readonly #connection: ApiConnection;
  readonly #retryDelayMs: number;
  /** What must not be shown. */
  readonly #secrets: readonly string[];

  /**
   * @throws VoicebotError VB_CREDENTIALS_MISSING when one is empty, VB_IDENTIFIER_INVALID when the auth id is not of the
   *   carrier's form
   */
  static async open(credentials: CarrierCredentials, options: AccountApiOptions = {}): Promise<AccountApi> {
    if (!credentials.authId || !credentials.authToken) {
      throw new VoicebotError('VB_CREDENTIALS_MISSING', 'the carrier needs an auth id and an auth token', {
        hint: 'set CARRIER_AUTH_ID and CARRIER_AUTH_TOKEN',
      });
    }
    requireIdentifier(credentials.authId, 'auth id');
    const { timeoutMs = 10_000, retryDelayMs = 250, wait = defaultWait } = options;
    // Loaded here so that processes which never make a request do not carry it.
    const { Agent } = await import('undici');
    const { authId, authToken, apiUrl } = credentials;
    const basic = Buffer.from(`${authId}:${authToken}`).toString('base64');
    const connection = new ApiConnection({
      base: `${apiUrl.replace(/\/+$/, '')}/Account/${authId}/`,
      // A scoped token stands for itself (reference 1.1).
      authorization: authToken.startsWith('stk_') ? `Bearer ${authToken}` : `Basic ${basic}`,
      agent: new Agent({ connect: { timeout: timeoutMs } }),
      timeoutMs,
    });
    return new AccountApi(connection, [authToken, basic], retryDelayMs, wait);
  }

  private constructor(
    connection: ApiConnection,
    secrets: readonly string[],
    retryDelayMs: number,
    wait: AccountApi['wait'],
  ) {
    this.#connection = connection;
    this.#secrets = secrets;
    this.#retryDelayMs = retryDelayMs;
    this.wait = wait;
  }

  /** One try. @throws NoAnswerError as {@link ApiConnection.send} does */
  send(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    return this.#connection.send(request, signal);
  }

  /** One try. @throws VoicebotError VB_CARRIER_UNREACHABLE when there is no answer; whatever its status, an answer is none */
  async once(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    try {
      return await this.send(request, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw this.unreachable(error);
    }
  }

  /**
   * For requests that do no harm when they are done twice: up to four tries while the carrier is unreachable, silent, busy
   * (429) or broken (5xx).
   * @param what the request, as in "hanging up"
   * @returns a success, or a 404
   */
  repeated(what: string, request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    const attempt = async () => {
      const answer = await this.once(request, signal);
      if (isSuccess(answer) || answer.status === 404) return answer;
      throw this.refusal(what, answer);
    };
    return pRetry(attempt, {
      retries: MAX_REPEATS,
      minTimeout: this.#retryDelayMs,
      maxTimeout: MAX_RETRY_DELAY_MS,
      randomize: true,
      ...(signal && { signal }),
      shouldRetry: ({ error }) => isPassing(error),
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (retriesLeft > 0) await this.#waitAsAsked(error, signal);
      },
    });
  }

  /**
   * For something that must not be made twice: looks for it before every try to make it, since an answer that was lost or
   * a 5xx does not say that it was not made.
   */
  async findOrMake<T>(find: () => Promise<T | undefined>, make: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      const found = await find();
      if (found !== undefined) return found;
      try {
        return await make();
      } catch (error) {
        if (!isPassing(error) || repeats === MAX_REPEATS) throw error;
        await this.#waitAsAsked(error, signal);
        await this.wait(Math.min(this.#retryDelayMs * 2 ** repeats, MAX_RETRY_DELAY_MS), signal);
      }
    }
  }

  /** @returns undefined for a 404 */
  async read(what: string, path: string, signal?: AbortSignal): Promise<JsonFields | undefined> {
    const answer = await this.repeated(what, { method: 'GET', path }, signal);
    if (answer.status === 404) return undefined;
    const fields = parseObject(answer.text);
    if (!fields) throw refusalOf(what, answer, 'the answer is not a JSON object');
    return fields;
  }

  /** All objects of a list, page by page. @see reference 1.1 */
  async list(
    what: string,
    path: string,
    filter: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<readonly JsonFields[]> {
    const found: JsonFields[] = [];
    for (let offset = 0, pages = 0; pages < MAX_PAGES; pages += 1) {
      const query = new URLSearchParams({ ...filter, limit: String(PAGE_LIMIT), offset: String(offset) });
      const page = await this.read(what, `${path}?${query}`, signal);
      if (!Array.isArray(page?.objects)) {
        throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `${what} got an answer without a list`);
      }
      found.push(...page.objects.filter(isFields));
      offset += page.objects.length;
      // Its address is left alone: where our credentials go is for us to say.
      const next = isFields(page.meta) && page.meta.next;
      if (!next || page.objects.length === 0) return found;
    }
    throw new VoicebotError('VB_CARRIER_REQUEST_FAILED', `${what} found more than ${MAX_PAGES} pages`);
  }

  /** The error for an answer that means the request was not done. */
  refusal(what: string, answer: ApiAnswer): CarrierRequestError {
    return refusalOf(what, answer, this.words(answer));
  }

  /** What the carrier said, without secrets. */
  words({ text }: ApiAnswer): string {
    return wordsOf(this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text));
  }

  unreachable(cause: unknown): VoicebotError {
    const detail = `${this.#connection.origin}: ${(cause as Error).message}`;
    return new VoicebotError('VB_CARRIER_UNREACHABLE', detail, {
      cause,
      hint: 'check the network and CARRIER_API_URL',
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #waitAsAsked(error: unknown, signal?: AbortSignal): Promise<void> {
    if (!(error instanceof CarrierRequestError) || !error.retryable) return;
    const askedMs = Math.min(error.retryAfterMs ?? 0, MAX_WAIT_MS);
    if (askedMs > 0) await this.wait(askedMs, signal);
  }
}

export const isSuccess = ({ status }: ApiAnswer) => status >= 200 && status < 300;

/** @param what as in "call id" */
export function requireIdentifier(value: string, what: string): void {
  // The value stays out of the message: a token pasted in the place of an identifier would be shown.
  if (!isPlivoIdentifier(value)) {
    throw new VoicebotError('VB_IDENTIFIER_INVALID', `the ${what} must be 1 to 64 letters, digits, "-" or "_"`);
  }
}

export function parseObject(text: string): JsonFields | undefined {
  try {
    const value = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the same request may succeed later. */
const isPassing = (error: unknown) =>
  error instanceof CarrierRequestError
    ? error.retryable
    : error instanceof VoicebotError && error.code === 'VB_CARRIER_UNREACHABLE';

const defaultWait = (ms: number, signal?: AbortSignal) =>
  sleep(ms, undefined, { signal }).catch((error) => {
    signal?.throwIfAborted();
    throw error;
  });
