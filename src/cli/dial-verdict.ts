import type { EndReason } from '../call/call.js';
import { VoicebotError } from '../errors.js';
import type { CallRecord } from '../runner/call-registry.js';

/** Somebody or something answered, and nobody was served to the end. */
const FAILED_REASONS: readonly EndReason[] = [
  'voicemail',
  'bot_crashed',
  'bot_timeout',
  'provider_error',
  'telephony_error',
  'runner_stopped',
  'tunnel_lost',
];

const LOOK = 'Look at what the runner printed about this call.';

const WHY: Partial<Record<EndReason, { readonly sentence: string; readonly hint?: string }>> = {
  busy: { sentence: 'the line was busy' },
  no_answer: { sentence: 'nobody answered' },
  rejected: { sentence: 'the call was declined' },
  voicemail: { sentence: 'a machine answered' },
  bot_crashed: { sentence: 'every bot of this call failed', hint: LOOK },
  bot_timeout: { sentence: 'no bot of this call responded', hint: LOOK },
  provider_error: { sentence: 'a speech or model service of the bot failed', hint: LOOK },
  telephony_error: { sentence: 'the carrier or the room provider could not complete the call', hint: LOOK },
  limit_reached: { sentence: 'a limit was reached before anybody answered' },
  runner_stopped: { sentence: 'the runner was stopped' },
  tunnel_lost: { sentence: 'the tunnel to the carrier was gone for too long' },
};

/** The error of a dialled call that did not succeed; undefined for one that was answered and ended as calls do. */
export function dialFailureOf({ answeredAt, endReason }: CallRecord): VoicebotError | undefined {
  if (answeredAt !== undefined && !(endReason && FAILED_REASONS.includes(endReason))) return undefined;
  const { sentence, hint } = (endReason && WHY[endReason]) ?? { sentence: 'it ended before anybody answered' };
  return new VoicebotError('VB_CALL_FAILED', sentence, { hint });
}
