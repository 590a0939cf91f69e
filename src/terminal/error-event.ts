import type { ErrorCode, ErrorFields } from '../base/errors.js';
import { errorDocs } from './error-docs.js';
import { nextCommand } from './next-command.js';

const DOCTOR = 'npx voicebot doctor';
const NUMBERS = 'npx voicebot configure-number';

/** What finds out more where no hint names a command. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  VB_BROWSER_FAILED: DOCTOR,
  VB_CARRIER_REQUEST_FAILED: DOCTOR,
  VB_CARRIER_UNREACHABLE: DOCTOR,
  VB_CLUSTER_UNREACHABLE: DOCTOR,
  VB_CREDENTIALS_MISSING: DOCTOR,
  VB_CREDENTIALS_REFUSED: DOCTOR,
  VB_NUMBER_UNKNOWN: NUMBERS,
  VB_REGISTRATION_FAILED: NUMBERS,
  VB_ROOMS_REQUEST_FAILED: DOCTOR,
  VB_ROOMS_UNREACHABLE: DOCTOR,
  VB_ROOM_JOIN_FAILED: DOCTOR,
  VB_TUNNEL_FAILED: DOCTOR,
};

/** What programs are told of an error. */
export interface ErrorEvent extends ErrorFields {
  /** The command to type next. */
  readonly next: string | undefined;
  /** Where the code is explained, as a `file:` address. */
  readonly docs: string;
}

/** The fields of an error in the output for programs. */
export function errorEvent({ code, message, hint }: ErrorFields): ErrorEvent {
  return { code, message, hint, next: nextCommand(hint) ?? NEXT[code], docs: errorDocs(code) };
}
