import type { PhoneCall } from '../network/call.js';
import type { HangupCause } from '../network/hangup-causes.js';

/** How a call has ended, in the words of two carriers. @see carrier reference 7.1, 7.2 */
export const END_STATUSES: Readonly<Record<HangupCause['status'], string>> = {
  completed: 'completed',
  busy: 'busy',
  failed: 'failed',
  timeout: 'no-answer',
  'no-answer': 'no-answer',
  cancel: 'canceled',
};

/** How a call goes that has not ended, likewise. */
export function liveStatus({ answeredAt, isQueued }: PhoneCall): string {
  return isQueued ? 'queued' : answeredAt ? 'in-progress' : 'ringing';
}

/** Started seconds from answer to end. */
export const durationSeconds = (call: PhoneCall): number => Math.ceil(call.durationMs / 1_000);
