import type { CallRecord } from '../../../src/call/call-record.js';
import type { Carrier } from '../../../src/providers/carrier.js';
import type { Facts } from './rig.js';

const TIMES = ['startedAt', 'answeredAt', 'connectedAt', 'endedAt'] as const;

/** A call's record without what differs from call to call: of identifiers whose they are, of times which it has. */
export function plain(record: CallRecord, states: readonly string[], carrier: Carrier): Facts {
  const { id, providerCallId, startedAt, answeredAt, connectedAt, endedAt, answeredBy, botFile: _, ...same } = record;
  // A bot may be done before the carrier knows who has answered, and a call over before it is told that it rings.
  const isLearnt = answeredBy !== undefined && record.endReason !== 'bot_ended';
  const isTold = (state: string) => state !== 'ringing' || record.direction === 'inbound';
  const times = TIMES.filter((name) => record[name] !== undefined);
  const values = times.map((name) => record[name] as number);
  const areInOrder = values.every((value, at) => value >= (values[at - 1] ?? value));
  const isKnown = providerCallId !== undefined && carrier.isCallId(providerCallId);
  return {
    ...same,
    ...(isLearnt && { answeredBy }),
    id: isKnown ? (id === (providerCallId as string) ? "the carrier's" : 'ours') : `of no form: ${providerCallId}`,
    times: areInOrder ? times.map((name) => name.slice(0, -2)).join(' ') : `out of order: ${times}`,
    states: states
      .filter(isTold)
      .filter((state, at, told) => state !== told[at - 1])
      .join(' '),
  };
}
