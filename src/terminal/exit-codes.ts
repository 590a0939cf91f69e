import type { ErrorCode, ErrorFields } from '../base/errors.js';

/** What the process reports to the shell. Signals add 128 plus their number. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  /** Of `voicebot test`; of `voicebot replay` when something is different; of `voicebot load` when a limit is broken. */
  scenarioFailed: 1,
  usage: 2,
  configuration: 3,
  refused: 4,
  network: 5,
  portInUse: 6,
  botFile: 7,
  callFailed: 8,
} as const;

const BY_CODE: Partial<Record<ErrorCode, number>> = {
  VB_ANSWER_URL_FAILED: EXIT.callFailed,
  VB_BODY_TOO_LARGE: EXIT.usage,
  VB_BOT_LOAD_FAILED: EXIT.botFile,
  VB_BROWSER_FAILED: EXIT.configuration,
  VB_CALL_FAILED: EXIT.callFailed,
  VB_CALL_UNCERTAIN: EXIT.callFailed,
  VB_CARRIER_AMBIGUOUS: EXIT.usage,
  VB_CARRIER_REQUEST_FAILED: EXIT.network,
  VB_CARRIER_UNREACHABLE: EXIT.network,
  VB_CLUSTER_UNREACHABLE: EXIT.network,
  VB_CLUSTER_UNSUITABLE: EXIT.configuration,
  VB_CONFIG_INVALID: EXIT.configuration,
  VB_CONTACTS_INVALID: EXIT.usage,
  VB_CREDENTIALS_MISSING: EXIT.configuration,
  VB_CREDENTIALS_REFUSED: EXIT.refused,
  VB_DEADLINE_EXCEEDED: EXIT.network,
  VB_DIAL_LIMIT: EXIT.callFailed,
  VB_DISCLOSURE_MISSING: EXIT.callFailed,
  VB_DISK_FULL: EXIT.configuration,
  VB_DO_NOT_CALL: EXIT.callFailed,
  VB_DO_NOT_CALL_DAMAGED: EXIT.configuration,
  VB_EXTENSION_INVALID: EXIT.configuration,
  VB_FILE_EXISTS: EXIT.usage,
  VB_NUMBER_AMBIGUOUS: EXIT.configuration,
  VB_NUMBER_HELD: EXIT.portInUse,
  VB_NUMBER_NO_VOICE: EXIT.configuration,
  VB_NUMBER_UNKNOWN: EXIT.configuration,
  VB_OUTSIDE_CALLING_HOURS: EXIT.callFailed,
  VB_PORT_IN_USE: EXIT.portInUse,
  VB_PRICES_INVALID: EXIT.configuration,
  VB_REGISTRATION_FAILED: EXIT.network,
  VB_REQUEST_CONFLICT: EXIT.usage,
  VB_REQUEST_INVALID: EXIT.usage,
  VB_RESTORE_FAILED: EXIT.network,
  VB_ROOMS_REQUEST_FAILED: EXIT.network,
  VB_ROOMS_UNREACHABLE: EXIT.network,
  VB_ROOM_JOIN_FAILED: EXIT.network,
  VB_RUNNER_NOT_FOUND: EXIT.network,
  VB_RUNNER_STOPPING: EXIT.network,
  VB_SCENARIO_INVALID: EXIT.usage,
  VB_STATE_NEWER: EXIT.configuration,
  VB_TARGET_REFUSED: EXIT.callFailed,
  VB_TUNNEL_FAILED: EXIT.network,
  VB_UNAUTHORISED: EXIT.refused,
  VB_USAGE: EXIT.usage,
};

/** The exit code of a command that failed with `code`; 1 for everything unexpected. */
export function exitCodeOf(code: ErrorCode): number {
  return BY_CODE[code] ?? EXIT.unexpected;
}

/** Thrown by a command that has told people of its failure itself: there is an exit code, and an event for programs. */
export class ReportedError extends Error {
  override readonly name: string = 'ReportedError';

  /** @param error what programs are told; nothing where an event of the command has said it */
  constructor(
    readonly exitCode: number,
    message: string,
    readonly error?: Omit<ErrorFields, 'message'>,
  ) {
    super(message);
  }
}
