import type { PhoneCall } from '../network/call.js';
import { billedSeconds, hangupSource, withoutPlus } from './call-parameters.js';

/** The record of a call that has ended. @see carrier reference 1.3, call-record fields */
export interface PlivoCallRecord {
  readonly call_uuid: string;
  readonly call_direction: string;
  readonly from_number: string;
  readonly to_number: string;
  readonly [field: string]: unknown;
}

export function callRecord(call: PhoneCall, authId: string): PlivoCallRecord {
  const { setup, end, answeredAt } = call;
  const seconds = billedSeconds(call);
  return {
    call_uuid: call.id,
    parent_call_uuid: null,
    call_direction: setup.direction,
    call_state: answeredAt ? 'ANSWER' : end?.cause.status.toUpperCase(),
    from_number: withoutPlus(setup.from),
    to_number: withoutPlus(setup.to),
    initiation_time: time(call.startedAt),
    answer_time: answeredAt ? time(answeredAt) : null,
    end_time: end && time(end.at),
    call_duration: seconds,
    bill_duration: seconds,
    billed_duration: Math.ceil(seconds / 60) * 60,
    total_amount: '0.00000',
    total_rate: '0.00550',
    hangup_cause_code: end?.cause.code,
    hangup_cause_name: end?.cause.name,
    hangup_source: end && hangupSource(end.source),
    stir_verification: 'Not Applicable',
    source_ip: null,
    resource_uri: `/v1/Account/${authId}/Call/${call.id}/`,
  };
}

/** `YYYY-MM-DD HH:MM:SS+00:00` */
const time = (date: Date): string => date.toISOString().replace('T', ' ').replace(/\..*/, '+00:00');
