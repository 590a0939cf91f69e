import type { CallRecord } from '../../../call/call-record.js';
import type { ServedCall } from '../../bots/messages.js';

/** What a bot is told of a call. @param attempt of the bot */
export const servedCall = (
  { id, direction, from, to, reconnects, linkedTo }: CallRecord,
  attempt: number,
): ServedCall => ({
  id,
  direction,
  from,
  isWithheld: from === undefined,
  to,
  attempt,
  ...(reconnects !== undefined && { reconnects }),
  ...(linkedTo !== undefined && { linkedTo }),
});
