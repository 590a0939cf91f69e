import { durationSeconds } from '../carrier/call-statuses.js';
import type { PhoneCall } from '../network/call.js';
import { callStatus } from './call-parameters.js';

/** A call as the REST API describes it, during the call and afterwards. @see carrier reference 7.2 */
export function callResource(call: PhoneCall, accountId: string): object {
  const { setup, end, startedAt } = call;
  const created = startedAt.toUTCString();
  const ended = end?.at.toUTCString() ?? null;
  return {
    account_sid: accountId,
    sid: call.id,
    direction: setup.direction,
    status: callStatus(call),
    from: setup.from,
    from_formatted: setup.from,
    to: setup.to,
    to_formatted: setup.to,
    caller_name: setup.from,
    date_created: created,
    date_updated: ended ?? created,
    start_time: created,
    end_time: ended,
    duration: String(durationSeconds(call)),
    price: null,
    price_unit: null,
    uri: `/v2/texml/Accounts/${accountId}/Calls/${call.id}.json`,
  };
}
