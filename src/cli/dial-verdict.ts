import type { EndReason } from '../call/call.js';
import { VoicebotError } from '../errors.js';
import type { CallRecord } from '../runner/calls/call-registry.js';
import { endWords, FAILURES, LOOK_AT_RUNNER } from './end-words.js';

/** Somebody or something answered, and nobody was served to the end. */
const FAILED_REASONS: readonly EndReason[] = ['voicemail', ...FAILURES, 'runner_stopped', 'tunnel_lost'];

/** The error of a dialled call that did not succeed; undefined for one that was answered and ended as calls do. */
export function dialFailureOf({ answeredAt, endReason }: CallRecord): VoicebotError | undefined {
  if (answeredAt !== undefined && !(endReason && FAILED_REASONS.includes(endReason))) return undefined;
  const isLookedAt = endReason !== undefined && FAILURES.includes(endReason);
  return new VoicebotError('VB_CALL_FAILED', sentenceOf(endReason, answeredAt !== undefined), {
    hint: isLookedAt ? LOOK_AT_RUNNER : undefined,
  });
}

const BEFORE_ANSWER = 'before anybody answered';
/** What these mean where nobody answered. */
const UNANSWERED: Partial<Record<EndReason, string>> = {
  bot_ended: `it ended ${BEFORE_ANSWER}`,
  caller_hung_up: `it ended ${BEFORE_ANSWER}`,
  transferred: `it ended ${BEFORE_ANSWER}`,
  limit_reached: `a limit was reached ${BEFORE_ANSWER}`,
};

function sentenceOf(endReason: EndReason | undefined, isAnswered: boolean): string {
  if (endReason === undefined) return `it ended ${BEFORE_ANSWER}`;
  return (isAnswered ? undefined : UNANSWERED[endReason]) ?? endWords(endReason, 'outbound');
}
