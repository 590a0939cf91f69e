import type { CallRecord } from '../../call/call-record.js';
import { stateWords } from '../../call/end-text.js';

/** `ended: the caller hung up` */
export const stateOf = (call: CallRecord): string =>
  call.endReason ? `${call.state}: ${stateWords(call)}` : call.state;

/** How long it lasted, or has lasted until now, in seconds. */
export const lengthOf = ({ startedAt, endedAt = Date.now() }: CallRecord): string =>
  ((endedAt - startedAt) / 1_000).toFixed(1);
