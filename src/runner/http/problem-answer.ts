import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import { DialLimitError } from '../dialing/dial-limits.js';
import { OutsideHoursError } from '../dialing/outside-hours.js';

/** A failure as it is sent over HTTP. */
export interface ProblemAnswer {
  /** HTTP status. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly version: 1;
    readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
  };
}

/** A tunnel is back in some seconds, if it comes back. */
const TUNNEL_RETRY_S = 5;

const STATUS: Partial<Record<ErrorCode, number>> = {
  VB_REQUEST_INVALID: 400,
  VB_CONTACTS_INVALID: 400,
  VB_UNAUTHORISED: 401,
  VB_DO_NOT_CALL: 403,
  VB_TARGET_REFUSED: 403,
  VB_DISCLOSURE_MISSING: 403,
  VB_OUTSIDE_CALLING_HOURS: 409,
  VB_REQUEST_CONFLICT: 409,
  VB_BODY_TOO_LARGE: 413,
  VB_DIAL_LIMIT: 429,
  VB_CARRIER_REQUEST_FAILED: 502,
  VB_CREDENTIALS_REFUSED: 502,
  VB_ROOMS_REQUEST_FAILED: 502,
  VB_BOT_LOAD_FAILED: 503,
  VB_BROWSER_FAILED: 503,
  VB_CALL_UNCERTAIN: 503,
  VB_CARRIER_UNREACHABLE: 503,
  VB_CLUSTER_UNREACHABLE: 503,
  VB_CONFIG_INVALID: 503,
  VB_DO_NOT_CALL_DAMAGED: 503,
  VB_ROOMS_UNREACHABLE: 503,
  VB_RUNNER_STOPPING: 503,
  VB_TUNNEL_FAILED: 503,
};

/** What the sender of a request is told of its failure: a known one in full, of any other only that there was one. */
export function problemAnswer(error: unknown): ProblemAnswer {
  const status = error instanceof VoicebotError ? STATUS[error.code] : undefined;
  if (!(error instanceof VoicebotError) || status === undefined) {
    const message = 'The runner failed; its log says why';
    return { status: 500, headers: {}, body: { version: 1, error: { code: 'VB_INTERNAL', message } } };
  }
  const { code, message, hint } = error;
  return {
    status,
    headers: headersOf(error),
    body: { version: 1, error: { code, message, ...(hint !== undefined && { hint }) } },
  };
}

function headersOf(error: VoicebotError): Record<string, string> {
  if (error.code === 'VB_UNAUTHORISED') return { 'www-authenticate': 'Bearer' };
  if (error.code === 'VB_TUNNEL_FAILED') return { 'retry-after': String(TUNNEL_RETRY_S) };
  const passes = error instanceof DialLimitError || error instanceof OutsideHoursError;
  if (!passes || error.retryAfterS === undefined) return {};
  return { 'retry-after': String(error.retryAfterS) };
}
