import { Agent } from 'undici';
import { type ErrorCode, VoicebotError } from '../errors.js';
import { type ApiAnswer, ApiConnection, type ApiRequest, NoAnswerError } from './api-connection.js';
import { type JsonFields, parseFields } from './json-fields.js';
import { ProviderRequestError } from './provider-request-error.js';
import { type Clock, type RepeatPolicy, Repeats, realClock } from './repeats.js';
import { isWebPage } from './shown-text.js';

/** How a {@link RestClient} goes about its requests. */
export interface RestOptions {
  /** Longest wait for the answer of each try, connecting included, in milliseconds, unless the request has its own. Default 10 000. */
  timeoutMs?: number;
  /** Replaces fields of the provider's policy. */
  repeats?: Partial<RepeatPolicy>;
  clock?: Clock;
  /** Told of each try of a request, when it is over. Must not throw. */
  onSent?: RequestObserver | undefined;
  /** The headers that say who we are, where these are others than the one of the profile. */
  signIn?: Readonly<Record<string, string>> | undefined;
}

/** One try of a request. */
export interface SentRequest {
  readonly method: ApiRequest['method'];
  /** What follows the base address, which names the account: with the identifiers in it, and without its query. */
  readonly path: string;
  /** Of the answer; undefined when none came. */
  readonly status: number | undefined;
  /** Until the whole answer was there, in milliseconds. */
  readonly ms: number;
}

/** Is told of each try of a request. */
export type RequestObserver = (sent: SentRequest) => void;

/** How the API of one provider is reached and what its refusals are called. */
export interface RestProfile {
  /** What every request's address begins with. */
  readonly base: string;
  /** The header that says who we are. */
  readonly authorization: string;
  readonly repeats: RepeatPolicy;
  /** The code of a request that was refused or failed, and of one that did not reach the API. */
  readonly codes: { readonly failed: ErrorCode; readonly unreachable: ErrorCode };
  /** What to check when the API does not answer. */
  readonly unreachableHint: string;
  /** What to say where something else answers in its place: a web page, or JSON of another program. */
  readonly strangerHint: string;
  /**
   * The error for an answer that means the request was not done.
   * @param what the request, as in "creating the room"
   * @param mayBeDone whether it may have been carried out all the same
   */
  refusal(what: string, answer: ApiAnswer, request: ApiRequest, mayBeDone: boolean): ProviderRequestError;
}

/** A request to a REST API, and whether it may be repeated. */
export interface RestRequest extends ApiRequest {
  /**
   * `always`: it does no harm when it is done twice, and is repeated also when the provider is broken (5xx) or the answer is
   * lost. `when_busy`: only after a 429, which says that it was not done. Default `when_busy` for POST, else `always`.
   */
  readonly repeat?: 'always' | 'when_busy' | 'never';
  /** Default: that of the provider. */
  readonly repeats?: RepeatPolicy;
}

/** A success. */
export interface RestAnswer {
  readonly status: number;
  /** Undefined when the answer is not a JSON object. */
  readonly fields: JsonFields | undefined;
}

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The path of the next one; undefined for the last. */
  readonly next: string | undefined;
}

/** The REST API of one account at one provider: what is repeated, how long that takes, and which errors come of it. */
export class RestClient {
  readonly #connection: ApiConnection;
  readonly #policy: RepeatPolicy;
  readonly #clock: Clock;
  readonly #onSent: RequestObserver | undefined;

  constructor(
    private readonly profile: RestProfile,
    { timeoutMs = 10_000, repeats = {}, clock = realClock, onSent, signIn }: RestOptions = {},
  ) {
    const { base, authorization } = profile;
    const agent = new Agent({ connect: { timeout: timeoutMs } });
    this.#connection = new ApiConnection({ base, signIn: signIn ?? { authorization }, agent, timeoutMs });
    this.#policy = { ...profile.repeats, ...repeats };
    this.#clock = clock;
    this.#onSent = onSent;
  }

  /**
   * @param what the request, as in "creating the room"
   * @throws ProviderRequestError when it was refused, or may have been carried out and must not be twice
   * @throws VoicebotError with the code for unreachable providers when it cannot have been carried out, or may be done twice
   * @throws the signal's reason when that is aborted, unless the request may have been carried out and must not be twice
   */
  async request(what: string, request: RestRequest, signal?: AbortSignal): Promise<RestAnswer> {
    const { repeat = request.method === 'POST' ? 'when_busy' : 'always' } = request;
    const repeats = this.repeats(request.repeats);
    let mayBeDone = false;
    for (;;) {
      signal?.throwIfAborted();
      const outcome = await this.#try(request, signal);
      if (outcome instanceof NoAnswerError) {
        mayBeDone ||= outcome.mayHaveArrived;
        if (mayBeDone && repeat !== 'always') throw this.#lost(what, outcome);
        signal?.throwIfAborted();
        if (repeat !== 'always' || !(await repeats.next(0, signal))) throw this.#unreachable(outcome);
        continue;
      }
      const { status, text, retryAfterMs } = outcome;
      if (status >= 200 && status < 300) {
        if (request.method === 'GET' && isWebPage(text)) throw this.stranger(`${what} got a web page`, status);
        return { status, fields: parseFields(text) };
      }
      mayBeDone ||= status >= 500;
      const mayRepeat = (status === 429 && repeat !== 'never') || (status >= 500 && repeat === 'always');
      const { busyWaitMs = 0 } = status === 429 ? (request.repeats ?? this.#policy) : {};
      if (!mayRepeat || !(await repeats.next(retryAfterMs ?? busyWaitMs, signal))) {
        const refusal = this.profile.refusal(what, outcome, request, mayBeDone);
        const isStranger = status < 500 && (isWebPage(text) || status < 400) && refusal.hint === undefined;
        throw isStranger
          ? this.stranger(
              `${what} got ${isWebPage(text) ? 'a web page' : 'an answer'} with status ${status}`,
              status,
              mayBeDone,
            )
          : refusal;
      }
    }
  }

  /**
   * All of a list, page by page.
   * @param read what a page holds; may throw
   * @throws as {@link request}; ProviderRequestError also when there are more than `maxPages`
   */
  async list<Item>(
    what: string,
    { path, maxPages }: { readonly path: string; readonly maxPages: number },
    read: (fields: JsonFields | undefined) => ListPage<Item>,
    signal?: AbortSignal,
  ): Promise<Item[]> {
    const found: Item[] = [];
    let next: string | undefined = path;
    for (let pages = 0; next !== undefined; pages += 1) {
      if (pages === maxPages) throw this.failure(`${what} found more than ${maxPages} pages`);
      const { fields } = await this.request(what, { method: 'GET', path: next }, signal);
      const page = read(fields);
      found.push(...page.items);
      next = page.next;
    }
    return found;
  }

  /**
   * For something that must not be made twice: looks for it before every try to make it, since an answer that was lost or
   * a 5xx does not say that it was not made.
   * @param make sends its request with `repeat: 'never'`
   */
  async findOrMake<T>(find: () => Promise<T | undefined>, make: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const repeats = this.repeats();
    for (;;) {
      const found = await find();
      if (found !== undefined) return found;
      try {
        return await make();
      } catch (error) {
        signal?.throwIfAborted();
        const isLost = error instanceof ProviderRequestError && error.cause instanceof NoAnswerError;
        const failure = isLost ? this.#unreachable(error.cause as NoAnswerError) : (error as Error);
        if (!this.#isPassing(failure)) throw failure;
        const askedMs = failure instanceof ProviderRequestError ? failure.retryAfterMs : 0;
        if (!(await repeats.next(askedMs, signal))) throw failure;
      }
    }
  }

  /** The waits between the tries of something that is more than one request. */
  repeats(policy = this.#policy): Repeats {
    return new Repeats(policy, this.#clock);
  }

  /** For an answer of which no use can be made. @param detail what was done, and what is wrong with the answer */
  failure(detail: string, status?: number): ProviderRequestError {
    return new ProviderRequestError(this.profile.codes.failed, detail, { status });
  }

  /** For an answer that the provider would not give: something else answers in its place. */
  stranger(detail: string, status?: number, mayBeDone = false): ProviderRequestError {
    return new ProviderRequestError(this.profile.codes.failed, detail, {
      status,
      mayBeDone,
      hint: this.profile.strangerHint,
    });
  }

  /** Closes its connections. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  async #try(request: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer | NoAnswerError> {
    const { method, path } = request;
    const startedAt = performance.now();
    const outcome = await this.#connection.send(request, signal).catch((error: unknown) => {
      if (error instanceof NoAnswerError) return error;
      throw error;
    });
    const status = outcome instanceof NoAnswerError ? undefined : outcome.status;
    this.#onSent?.({ method, path: path.replace(/\?.*/s, ''), status, ms: performance.now() - startedAt });
    return outcome;
  }

  #isPassing(error: unknown): boolean {
    if (error instanceof ProviderRequestError) return error.retryable;
    return error instanceof VoicebotError && error.code === this.profile.codes.unreachable;
  }

  #lost(what: string, cause: NoAnswerError): ProviderRequestError {
    const detail = `${what} got no answer (${cause.message}); it may have been carried out`;
    return new ProviderRequestError(this.profile.codes.failed, detail, { cause, mayBeDone: true });
  }

  #unreachable(cause: NoAnswerError): VoicebotError {
    const { codes, unreachableHint: hint } = this.profile;
    return new VoicebotError(codes.unreachable, `${this.#connection.origin}: ${cause.message}`, { cause, hint });
  }
}
