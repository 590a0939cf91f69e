import type { CliContext } from './context.js';
import { DialReport } from './dial-report.js';
import type { DialRequest } from './dial-request.js';
import { dialFailureOf } from './dial-verdict.js';
import { followCall } from './follow-call.js';
import type { Output } from './output.js';
import { connectRunner } from './runner-address.js';
import { StoppedBySignal, watchSignals } from './signals.js';

/**
 * Has a runner dial a number, and follows the call to its end when asked to.
 * @throws VoicebotError with what the runner refuses, VB_RUNNER_NOT_FOUND, VB_CALL_UNCERTAIN, VB_CALL_FAILED when it was
 *   followed and did not succeed; StoppedBySignal
 */
export async function dialOut(request: DialRequest, context: CliContext, output: Output): Promise<void> {
  const runner = await connectRunner(request.runner, context);
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
