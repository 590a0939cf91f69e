import { type ErrorCode, VoicebotError, type VoicebotErrorOptions } from './errors.js';

/** What a {@link ProviderError} has beside its words. */
export interface ProviderErrorOptions extends VoicebotErrorOptions {
  /** The service has given up: nothing more comes from it in this call. */
  isFinal?: boolean;
  /** HTTP status, or the close code of a socket, where there was one. */
  status?: number | undefined;
  /** The vendor wants no request before, of `Retry-After`, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** What a vendor and the variable of its key are called, and where a key is made. */
export interface ProviderNames {
  readonly name: string;
  readonly keyVariable: string;
  readonly keysUrl: string;
}

/** A speech or model vendor failed. The message has its name and its own words. */
export class ProviderError extends VoicebotError {
  readonly isFinal: boolean;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly provider: string,
    code: Extract<ErrorCode, 'VB_PROVIDER_FAILED' | 'VB_CREDENTIALS_REFUSED'>,
    detail: string,
    { isFinal = false, status, retryAfterMs, ...options }: ProviderErrorOptions = {},
  ) {
    super(code, `${provider}: ${detail}`, options);
    this.isFinal = isFinal;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** From an HTTP status, or from the answer to a WebSocket handshake. @param words the vendor's own @param retryAfterMs of `Retry-After` */
  static ofStatus(provider: ProviderNames, status: number, words: string, retryAfterMs?: number): ProviderError {
    const detail = `${status}${words ? `, ${words}` : ''}`;
    if (status === 401 || status === 403) {
      const hint = `check ${provider.keyVariable}: ${provider.keysUrl}`;
      return new ProviderError(provider.name, 'VB_CREDENTIALS_REFUSED', detail, { status, hint, isFinal: true });
    }
    if (status === 402 || status === 429) {
      const hint = `the account has reached a limit: ${provider.keysUrl}`;
      return new ProviderError(provider.name, 'VB_PROVIDER_FAILED', detail, { status, hint, retryAfterMs });
    }
    return new ProviderError(provider.name, 'VB_PROVIDER_FAILED', detail, { status, retryAfterMs });
  }

  /**
   * Whether the vendor refuses this very request, so that the same one cannot succeed a moment later: any status of 4xx but 408,
   * 409, 425 and 429, which pass (RFC 9110, 8470, 6585).
   */
  get isRefusal(): boolean {
    const { status = 0 } = this;
    return status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
  }

  /** Whether the vendor asks for time, which a caller does not have: 429 or any status of 5xx. @internal */
  get isOverload(): boolean {
    const { status = 0 } = this;
    return status === 429 || (status >= 500 && status < 600);
  }

  /** The same failure, as the last word of the service. */
  asFinal(): ProviderError {
    return this.isFinal ? this : this.#as(true);
  }

  /** The same failure, where another service goes on in the place of this one. */
  asPassing(): ProviderError {
    return this.isFinal ? this.#as(false) : this;
  }

  #as(isFinal: boolean): ProviderError {
    const { provider, code, message, hint, status, retryAfterMs } = this;
    const options = { hint, status, retryAfterMs, isFinal, cause: this };
    const error = new ProviderError(provider, code as 'VB_PROVIDER_FAILED', '', options);
    error.message = message;
    return error;
  }
}
