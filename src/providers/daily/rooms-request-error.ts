import { type ErrorCode, VoicebotError, type VoicebotErrorOptions } from '../../errors.js';

export interface RoomsRequestErrorOptions extends VoicebotErrorOptions {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly text?: string | undefined;
  readonly mayBeDone?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The provider did not do what it was asked for, or may have done it without saying so. */
export class RoomsRequestError extends VoicebotError {
  /** HTTP status of the last answer; undefined when none came. */
  readonly status: number | undefined;
  /** The provider's stable word for the failure, such as `invalid-request-error`. @see rooms reference 1.1 */
  readonly error: string | undefined;
  /** What the provider said, shortened, without secrets, numbers and addresses. */
  readonly text: string;
  /** Whether the request may have been carried out all the same, by this or an earlier try. */
  readonly mayBeDone: boolean;
  /** How long the provider asked to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    { status, error, text = '', mayBeDone = false, retryAfterMs, ...options }: RoomsRequestErrorOptions = {},
  ) {
    super(code, detail, options);
    this.status = status;
    this.error = error;
    this.text = text;
    this.mayBeDone = mayBeDone;
    this.retryAfterMs = retryAfterMs;
  }
}
