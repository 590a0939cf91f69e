import { channel } from 'node:diagnostics_channel';
import type { Agent, Dispatcher } from 'undici';
import { parseRetryAfter } from './retry-after.js';

/** What an API has answered. */
export interface ApiAnswer {
  readonly status: number;
  /** Empty for a refusal that broke off. */
  readonly text: string;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** A request to an API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** What follows the base address. */
  readonly path: string;
  /** Sent as JSON. */
  readonly fields?: object | undefined;
  /** Sent as a form in place of fields. */
  readonly form?: URLSearchParams | undefined;
  /** Longest wait for a whole answer, in milliseconds. Default: that of the connection. */
  readonly timeoutMs?: number | undefined;
}

/** A request and its whole answer, as they went over the wire. They may hold secrets, beside the credentials, which are left out. */
export interface ApiExchange {
  readonly method: ApiRequest['method'];
  /** Without its path. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Empty where nothing was sent. */
  readonly sent: string;
  readonly status: number;
  readonly answer: string;
  /** From the request on, in milliseconds. */
  readonly ms: number;
}

/** The exchanges of this process with REST APIs of providers, for those who subscribe: each an {@link ApiExchange}. */
export const apiExchanges = channel('voicebot:api-exchange');

/** A request that got no whole answer. */
export class NoAnswerError extends Error {
  override readonly name: string = 'NoAnswerError';

  /** @param mayHaveArrived false when not a byte of the request has left */
  constructor(
    readonly mayHaveArrived: boolean,
    cause: unknown,
  ) {
    super(reasonOf(cause), { cause });
  }
}

/** Of one answer. */
const MAX_ANSWER_BYTES = 1_048_576;

export interface ApiConnectionOptions {
  /** What every request's address begins with. */
  readonly base: string;
  /** The headers that say who we are. */
  readonly signIn: Readonly<Record<string, string>>;
  readonly agent: Agent;
  /** Longest wait for a whole answer, from the moment of the request on, in milliseconds, unless the request has its own. */
  readonly timeoutMs: number;
}

/** Requests to the REST API of one account, each sent once. Redirects are not followed. */
export class ApiConnection {
  #closing: Promise<void> | undefined;

  constructor(private readonly options: ApiConnectionOptions) {}

  /** Where the requests go, for messages. */
  get origin(): string {
    return new URL(this.options.base).origin;
  }

  /** @throws NoAnswerError when no whole answer comes; its `cause` is the signal's reason when that was aborted */
  send(
    { method, path, fields, form, timeoutMs = this.options.timeoutMs }: ApiRequest,
    signal?: AbortSignal,
  ): Promise<ApiAnswer> {
    const { signIn, agent } = this.options;
    const { origin, pathname, search } = new URL(this.options.base + path);
    const sent = form ? form.toString() : fields && JSON.stringify(fields);
    const options: Dispatcher.DispatchOptions = {
      origin,
      path: pathname + search,
      method,
      headers: { ...signIn, ...contentTypeOf(fields, form) },
      ...(sent !== undefined && { body: sent }),
    };
    const beganAt = performance.now();
    const tell = ({ status, text }: ApiAnswer) => {
      if (!apiExchanges.hasSubscribers) return;
      const ms = performance.now() - beganAt;
      const exchange = { method, origin, path: pathname + search, sent: sent ?? '', status, answer: text, ms };
      apiExchanges.publish(exchange satisfies ApiExchange);
    };
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let abandoned: Error | undefined;
      let mayHaveArrived = false;
      let head: Omit<ApiAnswer, 'text'> | undefined;
      const body: Buffer[] = [];
      let bodyBytes = 0;
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const succeed = (answer: ApiAnswer) => {
        finish();
        tell(answer);
        resolve(answer);
      };
      const fail = (cause: unknown) => {
        // A refusal is one even when its words break off; half of a secret among them would not be recognised.
        if (head && head.status >= 400) return succeed({ ...head, text: '' });
        finish();
        reject(new NoAnswerError(mayHaveArrived, cause));
      };
      const abandon = (reason: unknown) => {
        abandoned = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
        controller?.abort(abandoned);
        fail(reason);
      };
      const onAbort = () => abandon(signal?.reason);
      const timer = setTimeout(() => abandon(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      agent.dispatch(options, {
        // Called when the connection stands and the request is about to be written to it.
        onRequestStart(started) {
          controller = started;
          if (abandoned) return started.abort(abandoned);
          mayHaveArrived = true;
        },
        onResponseStart(_controller, status, headers) {
          head = { status, retryAfterMs: parseRetryAfter(headers['retry-after']) };
        },
        onResponseData(_controller, chunk) {
          bodyBytes += chunk.length;
          if (bodyBytes > MAX_ANSWER_BYTES) abandon(new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`));
          else body.push(chunk);
        },
        onResponseEnd() {
          if (head) succeed({ ...head, text: Buffer.concat(body).toString('utf8') });
        },
        onResponseError(_controller, error) {
          fail(error);
        },
      });
    });
  }

  /** Resolves when the requests under way have ended. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.options.agent.close();
    return this.#closing;
  }
}

function contentTypeOf(fields: object | undefined, form: URLSearchParams | undefined): Record<string, string> {
  if (form) return { 'content-type': 'application/x-www-form-urlencoded' };
  return fields ? { 'content-type': 'application/json' } : {};
}

function reasonOf(cause: unknown): string {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: string };
  return (typeof code === 'string' && code) || message || 'failed';
}
