import type { CallRecord } from '../../../src/call/call-record.js';
import type { Carrier } from '../../../src/providers/carrier.js';

/** A call's record without what differs from call to call. */
export interface PlainRecord {
  readonly direction: CallRecord['direction'];
  readonly from: string;
  readonly to: string;
  readonly attempt: number;
  readonly reconnects: number;
  readonly answeredBy: CallRecord['answeredBy'] | 'unknown';
  readonly endReason: CallRecord['endReason'];
  /** Which of its times it has. */
  readonly times: string;
  /** Whether the carrier's identifier is of the carrier's form. */
  readonly hasProviderCallId: boolean;
}

const TIMES = ['startedAt', 'answeredAt', 'connectedAt', 'endedAt'] as const;

export function plain(record: CallRecord, carrier: Carrier): PlainRecord {
  const { direction, from, to, attempt, reconnects = 0, answeredBy = 'unknown', endReason, providerCallId } = record;
  const times = TIMES.filter((name) => record[name] !== undefined);
  const inOrder = times.every((name, at) => at === 0 || (record[name] ?? 0) >= (record[times[at - 1] ?? name] ?? 0));
  return {
    direction,
    from,
    to,
    attempt,
    reconnects,
    answeredBy,
    endReason,
    times: inOrder ? times.map((name) => name.slice(0, -2)).join(' ') : 'out of order',
    hasProviderCallId: providerCallId !== undefined && carrier.isCallId(providerCallId),
  };
}
