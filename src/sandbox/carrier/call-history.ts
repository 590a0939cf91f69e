import type { PhoneCall } from '../network/call.js';
import { billedSeconds, withoutPlus } from './call-parameters.js';

const MAX_RECORDS = 1_000;

/** The record of a call that has ended. @see carrier reference 1.3, call-record fields */
export interface CarrierCallRecord {
  readonly call_uuid: string;
  readonly call_direction: string;
  readonly from_number: string;
  readonly to_number: string;
  readonly [field: string]: unknown;
}

/** The records of the last 1 000 calls. */
export class CallHistory {
  readonly #records = new Map<string, CarrierCallRecord>();

  constructor(private readonly authId: string) {}

  /** Newest first. */
  get records(): readonly CarrierCallRecord[] {
    return [...this.#records.values()].reverse();
  }

  find(callId: string): CarrierCallRecord | undefined {
    return this.#records.get(callId);
  }

  add(call: PhoneCall): void {
    const { setup, end, answeredAt } = call;
    const seconds = billedSeconds(call);
    this.#records.set(call.id, {
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
      hangup_source: end?.source,
      stir_verification: 'Not Applicable',
      source_ip: null,
      resource_uri: `/v1/Account/${this.authId}/Call/${call.id}/`,
    });
    const [oldest] = this.#records.keys();
    if (oldest !== undefined && this.#records.size > MAX_RECORDS) this.#records.delete(oldest);
  }
}

/** `YYYY-MM-DD HH:MM:SS+00:00` */
const time = (date: Date): string => date.toISOString().replace('T', ' ').replace(/\..*/, '+00:00');
