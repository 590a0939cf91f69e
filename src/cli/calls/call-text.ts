import { callLengthMs, passedSeconds } from '../../call/call-length.js';
import type { CallRecord } from '../../call/call-record.js';
import { stateWords } from '../../call/end-text.js';

/** `ended: the caller hung up` */
export const stateOf = (call: CallRecord): string =>
  call.endReason ? `${call.state}: ${stateWords(call)}` : call.state;

/** How long it lasted, or has lasted until now, in seconds; of a call that was never connected, since it began. */
export const lengthOf = (call: CallRecord): string =>
  passedSeconds(callLengthMs(call) ?? (call.endedAt ?? Date.now()) - call.startedAt);
