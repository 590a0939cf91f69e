import { type ErrorCode, VoicebotError, type VoicebotErrorOptions } from '../errors.js';

export interface ProviderRequestErrorOptions extends VoicebotErrorOptions {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly text?: string | undefined;
  readonly mayBeDone?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A carrier or room provider did not do what its REST API was asked for, or may have done it without saying so. */
export class ProviderRequestError extends VoicebotError {
  /** HTTP status of the last answer; undefined when none came. */
  readonly status: number | undefined;
  /** The provider's stable word for the failure, such as `invalid-request-error`, where it has one. */
  readonly error: string | undefined;
  /** What the provider said, shortened, without secrets, numbers and addresses. */
  readonly text: string;
  /** Whether the request may have been carried out all the same, by this or an earlier try. */
  readonly mayBeDone: boolean;
  /** How long the provider asked to be left alone, in milliseconds; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    { status, error, text = '', mayBeDone = false, retryAfterMs, ...options }: ProviderRequestErrorOptions = {},
  ) {
    super(code, detail, options);
    this.status = status;
    this.error = error;
    this.text = text;
    this.mayBeDone = mayBeDone;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later: the provider was busy or broken, not against it. */
  get retryable(): boolean {
    return this.status === 429 || (this.status ?? 0) >= 500;
  }
}

/** Whether a provider answered 404: what the request is about does not exist. */
export function isNotFound(error: unknown): error is ProviderRequestError {
  return error instanceof ProviderRequestError && error.status === 404;
}

/**
 * What the request resolves with; undefined when what it is about does not exist.
 * @param isMissing which errors say so. Default: a 404
 */
export async function unlessNotFound<T>(request: Promise<T>, isMissing = isNotFound): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
