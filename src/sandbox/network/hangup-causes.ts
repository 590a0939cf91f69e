export interface HangupCause {
  /** `HangupCauseCode`. */
  readonly code: number;
  /** `HangupCauseName`: the carrier's words for people. */
  readonly name: string;
  /** `HangupCause`: the telephone network's word. */
  readonly cause: string;
  /** `CallStatus` of a call that ended so. */
  readonly status: 'completed' | 'busy' | 'failed' | 'timeout' | 'no-answer' | 'cancel';
}

/** Why calls end on this network. @see carrier reference 2.5 */
export const HANGUP_CAUSES = {
  normal: { code: 4000, name: 'Normal Hangup', cause: 'NORMAL_CLEARING', status: 'completed' },
  endOfXml: { code: 4010, name: 'End Of XML Instructions', cause: 'NORMAL_CLEARING', status: 'completed' },
  lostRace: { code: 9000, name: 'Lost Race', cause: 'LOSE_RACE', status: 'cancel' },
  machine: { code: 9100, name: 'Machine Detected', cause: 'NORMAL_CLEARING', status: 'completed' },
  cancelled: { code: 1000, name: 'Cancelled', cause: 'ORIGINATOR_CANCEL', status: 'cancel' },
  unallocated: { code: 3050, name: 'Unallocated Number', cause: 'UNALLOCATED_NUMBER', status: 'failed' },
  loopDetected: { code: 2060, name: 'Loop Detected', cause: 'EXCHANGE_ROUTING_ERROR', status: 'failed' },
  noAnswer: { code: 3000, name: 'No Answer', cause: 'NO_ANSWER', status: 'no-answer' },
  busy: { code: 3010, name: 'Busy Line', cause: 'USER_BUSY', status: 'busy' },
  rejected: { code: 3020, name: 'Rejected', cause: 'CALL_REJECTED', status: 'busy' },
  declined: { code: 3110, name: 'Declined', cause: 'CALL_REJECTED', status: 'busy' },
  carrierError: { code: 3080, name: 'Carrier Error', cause: 'NORMAL_TEMPORARY_FAILURE', status: 'failed' },
  platformError: { code: 5010, name: 'Network Error', cause: 'NETWORK_OUT_OF_ORDER', status: 'failed' },
  timeLimit: { code: 6000, name: 'Max Duration Reached', cause: 'ALLOTTED_TIMEOUT', status: 'completed' },
  ringTimeout: { code: 6010, name: 'Ring Timeout Reached', cause: 'NO_ANSWER', status: 'timeout' },
  answerUnreachable: { code: 7011, name: 'Error Reaching Answer URL', cause: 'NORMAL_CLEARING', status: 'failed' },
  actionUnreachable: { code: 7012, name: 'Error Reaching Action URL', cause: 'NORMAL_CLEARING', status: 'failed' },
  transferUnreachable: { code: 7013, name: 'Error Reaching Transfer URL', cause: 'NORMAL_CLEARING', status: 'failed' },
  redirectUnreachable: { code: 7014, name: 'Error Reaching Redirect URL', cause: 'NORMAL_CLEARING', status: 'failed' },
  answerInvalid: { code: 8011, name: 'Invalid Answer XML', cause: 'NORMAL_CLEARING', status: 'failed' },
  actionInvalid: { code: 8012, name: 'Invalid Action XML', cause: 'NORMAL_CLEARING', status: 'failed' },
  transferInvalid: { code: 8013, name: 'Invalid Transfer XML', cause: 'NORMAL_CLEARING', status: 'failed' },
  redirectInvalid: { code: 8014, name: 'Invalid Redirect XML', cause: 'NORMAL_CLEARING', status: 'failed' },
} as const satisfies Record<string, HangupCause>;

export type HangupSource =
  | 'Caller'
  | 'Callee'
  | 'Network'
  | 'Room'
  | 'Carrier'
  | 'API Request'
  | 'Answer XML'
  | 'Error';
