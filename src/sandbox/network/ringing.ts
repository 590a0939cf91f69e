import { encodeMulaw } from '../../base/audio/mulaw.js';
import { ToneSource } from '../../base/audio/tones.js';
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

/** One round of the ringback tone in samples of 8000 Hz: 2 s of sound, 4 s of silence. */
const RINGBACK_SAMPLES = 48_000;

/** Lets a caller hear that the dialled phone rings, until `signal` aborts. */
export async function playRingback(call: PhoneCall, signal: AbortSignal): Promise<void> {
  const round = encodeMulaw(ToneSource.ringback().read(RINGBACK_SAMPLES));
  while (!signal.aborted && !call.isOver) await call.play(round, signal);
}

/** Rings a phone. When it resolves, the call is either answered or over. */
export async function ring(call: PhoneCall, callee: Callee): Promise<void> {
  callee.notify({ type: 'ringing', callId: call.id });
  const timeout = call.wait(call.setup.ringTimeoutMs).then(() => 'timeout' as const);
  const outcome = await Promise.race([callee.ring(call), timeout]);
  if (outcome === 'answered') call.answer();
  else call.finish(RING_ENDS[outcome], outcome === 'timeout' ? 'Carrier' : 'Callee');
}
