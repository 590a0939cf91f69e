import { VoicebotError } from '../../base/errors.js';
import type { EndReason } from '../../call/call.js';
import type { CallRecord } from '../../call/call-record.js';
import { endWords, FAILURES, whereToLook } from '../../call/end-text.js';
import { followCall } from '../../runners/follow-call.js';
import { connectRunner, severalRunners } from '../../runners/runner-address.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { DialReport } from './dial-report.js';
import type { DialRequest } from './dial-request.js';

/**
 * Has a runner dial a number, and follows the call to its end when asked to.
 * @throws VoicebotError with what the runner refuses, VB_RUNNER_NOT_FOUND, VB_CALL_UNCERTAIN, VB_CALL_FAILED when it was
 *   followed and did not succeed; StoppedBySignal
 */
export async function dialOut(request: DialRequest, context: CliContext, output: Output): Promise<void> {
  const runner = await connectRunner({ ...request.runner, onSeveral: severalRunners(output) }, context);
  const report = new DialReport(output);
  const signals = watchSignals();
  const waiting = new AbortController();
  const stopped = signals.first.then((signal) => new StoppedBySignal(signal));
  try {
    const call = await Promise.race([runner.start(request), stopped]);
    if (call instanceof StoppedBySignal) {
      report.leaving(call.signal, undefined);
      throw call;
    }
    report.dialling(request.to, runner.url, call);
    if (!request.waits) {
      report.placed(call);
      return;
    }
    const followed = followCall(runner, call.callId, (news) => report.changed(news), waiting.signal);
    const end = await Promise.race([followed, stopped]);
    if (end instanceof StoppedBySignal) {
      report.leaving(end.signal, call.callId);
      throw end;
    }
    const failure = dialFailureOf(end);
    report.ended(end, failure === undefined);
    if (failure) throw failure;
  } finally {
    waiting.abort();
    signals.close();
  }
}

/** A person or a machine answered, and no person was served to the end. */
const FAILED_REASONS: readonly EndReason[] = ['voicemail', 'screened', ...FAILURES, 'runner_stopped', 'tunnel_lost'];

/** The error of a dialled call that did not succeed; undefined for one that was answered and ended as calls do. */
export function dialFailureOf({ id, answeredAt, endReason }: CallRecord): VoicebotError | undefined {
  if (answeredAt !== undefined && !(endReason && FAILED_REASONS.includes(endReason))) return undefined;
  const isLookedAt = endReason !== undefined && FAILURES.includes(endReason);
  return new VoicebotError('VB_CALL_FAILED', sentenceOf(endReason, answeredAt !== undefined), {
    hint: isLookedAt ? whereToLook(id) : undefined,
  });
}

const BEFORE_ANSWER = 'before anybody answered';
/** What these mean where the call was not answered. */
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
