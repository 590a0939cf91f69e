import type { RingOutcome } from '../../call/phone-messages.js';
import type { PhoneCall } from './call.js';
import { HANGUP_CAUSES, type HangupCause } from './hangup-causes.js';
import type { Callee } from './phone.js';

const RING_ENDS: Readonly<Record<Exclude<RingOutcome, 'answered'> | 'timeout', HangupCause>> = {
  busy: HANGUP_CAUSES.busy,
  declined: HANGUP_CAUSES.declined,
  failed: HANGUP_CAUSES.carrierError,
  no_answer: HANGUP_CAUSES.noAnswer,
  timeout: HANGUP_CAUSES.ringTimeout,
};

/** Rings a phone. When it resolves, the call is either answered or over. */
export async function ring(call: PhoneCall, callee: Callee): Promise<void> {
  callee.notify({ type: 'ringing', callId: call.id });
  const timeout = call.wait(call.setup.ringTimeoutMs).then(() => 'timeout' as const);
  const outcome = await Promise.race([callee.ring(call), timeout]);
  if (outcome === 'answered') call.answer();
  else call.finish(RING_ENDS[outcome], outcome === 'timeout' ? 'Carrier' : 'Callee');
}
