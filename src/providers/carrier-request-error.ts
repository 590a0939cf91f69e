import { type ErrorCode, VoicebotError, type VoicebotErrorOptions } from '../errors.js';

export interface CarrierRequestErrorOptions extends VoicebotErrorOptions {
  /** How long the carrier asks to be left alone, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** A carrier answered a request with a status that means it was not done. */
export class CarrierRequestError extends VoicebotError {
  /** Whether the same request may succeed later: the carrier was busy or broken, not against it. */
  readonly retryable: boolean;
  /** How long the carrier asked to be left alone, in milliseconds; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;

  /** @param status HTTP status of the answer */
  constructor(
    code: ErrorCode,
    readonly status: number,
    detail: string,
    options: CarrierRequestErrorOptions = {},
  ) {
    super(code, detail, options);
    this.retryable = status === 429 || status >= 500;
    this.retryAfterMs = options.retryAfterMs;
  }
}
