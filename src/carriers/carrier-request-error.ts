import { type ErrorCode, VoicebotError, type VoicebotErrorOptions } from '../errors.js';

/** A carrier answered a request with a status that means it was not done. */
export class CarrierRequestError extends VoicebotError {
  /** Whether the same request may succeed later: the carrier was busy or broken, not against it. */
  readonly retryable: boolean;

  /** @param status HTTP status of the answer */
  constructor(
    code: ErrorCode,
    readonly status: number,
    detail: string,
    options?: VoicebotErrorOptions,
  ) {
    super(code, detail, options);
    this.retryable = status === 429 || status >= 500;
  }
}
