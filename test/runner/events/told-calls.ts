import type { ReceivedRequest } from './hand-receiver.js';

export const MAX_CALL_SECONDS = 60;
/** Calls that go on beside each other. */
export const AT_ONCE = 25;
/** How many turns a call has. */
export const turnsOf = (n: number) => n % 4;

/** The types of its events. */
export const wholeCall = (n: number): string[] => [
  'call.started',
  'call.answered',
  ...Array.from({ length: turnsOf(n) }, () => 'turn.ended'),
  'call.ended',
];

/** The calls that events are about: their types in the order in which they were accepted first, and how often each was. */
export function callsIn(accepted: readonly ReceivedRequest[]) {
  const calls = new Map<string, { types: string[]; turns: number[]; reason: string | undefined; again: number }>();
  const seen = new Map<unknown, string>();
  for (const { headers, body, event } of accepted) {
    const call = calls.get(event.data.callId) ?? { types: [], turns: [], reason: undefined, again: 0 };
    calls.set(event.data.callId, call);
    const before = seen.get(headers['webhook-id']);
    if (before !== undefined && before !== body) throw new Error(`two events are ${headers['webhook-id']}`);
    seen.set(headers['webhook-id'], body);
    if (before !== undefined) {
      call.again += 1;
      continue;
    }
    call.types.push(event.type);
    if (event.type === 'turn.ended') call.turns.push(event.data.turn);
    if (event.type === 'call.ended') call.reason = event.data.call.endReason;
  }
  return calls;
}
