import { durationSeconds } from '../carrier/call-statuses.js';
import type { PhoneCall } from '../network/call.js';
import { API_VERSION } from './call-parameters.js';
import { callStatus, timestamp } from './call-status.js';

/** A call as the REST API describes it, during the call and afterwards. @see carrier reference 7.1 */
export function callResource(call: PhoneCall, accountSid: string, numberSid: string | undefined): object {
  const { setup, end, startedAt, answeredAt } = call;
  const created = timestamp(startedAt);
  const ended = end ? timestamp(end.at) : null;
  return {
    sid: call.id,
    account_sid: accountSid,
    parent_call_sid: null,
    phone_number_sid: numberSid ?? null,
    api_version: API_VERSION,
    direction: setup.direction === 'inbound' ? 'inbound' : 'outbound-api',
    status: callStatus(call),
    from: setup.from,
    from_formatted: setup.from,
    to: setup.to,
    to_formatted: setup.to,
    caller_name: null,
    forwarded_from: null,
    answered_by: null,
    group_sid: null,
    trunk_sid: null,
    queue_time: '0',
    date_created: created,
    date_updated: ended ?? created,
    start_time: answeredAt ? timestamp(answeredAt) : null,
    end_time: ended,
    duration: end ? String(durationSeconds(call)) : null,
    price: null,
    price_unit: 'USD',
    uri: `/${API_VERSION}/Accounts/${accountSid}/Calls/${call.id}.json`,
    subresource_uris: {},
  };
}
