import type { Agent, Dispatcher } from 'undici';
import type { CarrierCredentials } from '../contract.js';
import { parseRetryAfter } from './retry-after.js';

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  /** From `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the account, such as `Call/?status=live`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly fields?: object;
}

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

/** Requests to one account of the voice API, each sent once. */
export class ApiConnection {
  readonly #base: string;
  readonly #authorization: string;
  readonly #secrets: readonly string[];

  /** @param timeoutMs longest wait for a whole answer, from the moment of the request on, in milliseconds */
  constructor(
    { authId, authToken, apiUrl }: CarrierCredentials,
    private readonly agent: Agent,
    private readonly timeoutMs: number,
  ) {
    this.#base = `${apiUrl.replace(/\/+$/, '')}/Account/${authId}/`;
    const basic = Buffer.from(`${authId}:${authToken}`).toString('base64');
    // A scoped token stands for itself (reference 1.1).
    this.#authorization = authToken.startsWith('stk_') ? `Bearer ${authToken}` : `Basic ${basic}`;
    this.#secrets = [authToken, basic];
  }

  /** Where the requests go, for messages. */
  get origin(): string {
    return new URL(this.#base).origin;
  }

  /** `text` without the credentials. */
  withoutSecrets(text: string): string {
    return this.#secrets.reduce((told, secret) => told.replaceAll(secret, '[redacted]'), text);
  }

  /** @throws NoAnswerError when no whole answer comes; its `cause` is the signal's reason when that was aborted */
  send({ method, path, fields }: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    const { origin, pathname, search } = new URL(this.#base + path);
    const options: Dispatcher.DispatchOptions = {
      origin,
      path: pathname + search,
      method,
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      ...(fields && { body: JSON.stringify(fields) }),
    };
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let abandoned: Error | undefined;
      let mayHaveArrived = false;
      let head: Pick<ApiAnswer, 'status' | 'retryAfterMs'> | undefined;
      const body: Buffer[] = [];
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const fail = (cause: unknown) => {
        finish();
        reject(new NoAnswerError(mayHaveArrived, cause));
      };
      const succeed = (answer: Pick<ApiAnswer, 'status' | 'retryAfterMs'>) => {
        finish();
        resolve({ ...answer, text: Buffer.concat(body).toString('utf8') });
      };
      const abandon = (reason: unknown) => {
        abandoned = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
        controller?.abort(abandoned);
        fail(reason);
      };
      const onAbort = () => abandon(signal?.reason);
      const timer = setTimeout(() => abandon(new Error(`no answer within ${this.timeoutMs} ms`)), this.timeoutMs);
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      this.agent.dispatch(options, {
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
          body.push(chunk);
        },
        onResponseEnd() {
          if (head) succeed(head);
        },
        onResponseError(_controller, error) {
          // A refusal is one even when its words break off.
          if (head && head.status >= 400) succeed(head);
          else fail(error);
        },
      });
    });
  }

  close(): Promise<void> {
    return this.agent.close();
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: string };
  return (typeof code === 'string' && code) || message || 'failed';
}
