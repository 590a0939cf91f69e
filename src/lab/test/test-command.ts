import { setMaxListeners } from 'node:events';
import { VoicebotError } from '../../base/errors.js';
import { resolveConfig } from '../../config/config.js';
import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import type { TestCoverage } from '../coverage/coverage.js';
import { listScenarios } from './list-scenarios.js';
import { strayErrors } from './stray-errors.js';
import { type TestRequest, TestRound } from './test-round.js';
import { watchScenarios } from './watch-scenarios.js';

/**
 * Runs the scenarios.
 * @throws ScenariosInvalid; NoScenario; ReportedError when one has failed or could not be run; StoppedBySignal
 */
export async function testBots(request: TestRequest, context: CliContext, output: Output): Promise<void> {
  const { environment, directory } = context;
  const config = await resolveConfig({ flags: { ...(request.bot && { bot: request.bot }) }, environment, directory });
  const signals = watchSignals();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each call
  void signals.first.then((signal) => stop.abort(new StoppedBySignal(signal)));
  const round = new TestRound(request, config, context, output);
  const unlisten = strayErrors.listen();
  try {
    if (request.isList) listScenarios(round.choose(await round.read()), output, directory);
    else if (request.watches) await watchScenarios(round, config, context, output, stop.signal);
    else await testOnce(round, output, stop.signal);
  } finally {
    unlisten();
    signals.close();
  }
}

async function testOnce(round: TestRound, output: Output, signal: AbortSignal): Promise<void> {
  const all = await round.read();
  const { loadErrors, results, notRun, bailed, coverage, stray = [] } = await round.run(round.choose(all), all, signal);
  signal.throwIfAborted();
  const failed = results.filter(({ passed }) => !passed).length + notRun.length;
  const count = results.length + notRun.length + bailed.length;
  const [error] = loadErrors.map((one) => VoicebotError.fieldsOf(one, 'VB_INTERNAL'));
  const words = error?.message ?? `${failed} of ${count} scenarios failed`;
  if (failed > 0) throw new ReportedError(EXIT.scenarioFailed, words, error);
  if (stray[0] !== undefined) throw new ReportedError(EXIT.scenarioFailed, stray[0]);
  refuseLittle(coverage, round.request, output);
}

/** @throws ReportedError where scenarios touch less of the bots than they must */
function refuseLittle(coverage: TestCoverage | undefined, { coverageMin }: TestRequest, output: Output): void {
  if (!coverage || coverageMin === undefined || coverage.percent >= coverageMin) return;
  const words = `scenarios touch ${coverage.percent} % of what the bots have, less than ${coverageMin} %`;
  output.line(output.paint.red(`✖ ${words}`));
  throw new ReportedError(EXIT.scenarioFailed, words);
}
