import type { CallRecord } from '../../call/call-record.js';

/** `ended: caller_hung_up` */
export const stateOf = ({ state, endReason }: CallRecord): string => (endReason ? `${state}: ${endReason}` : state);

/** How long it lasted, or has lasted until now, in seconds. */
export const lengthOf = ({ startedAt, endedAt = Date.now() }: CallRecord): string =>
  ((endedAt - startedAt) / 1_000).toFixed(1);
