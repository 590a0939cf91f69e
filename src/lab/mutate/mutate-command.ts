import { setMaxListeners } from 'node:events';
import { resolveConfig } from '../../config/config.js';
import type { CliContext } from '../../terminal/context.js';
import { ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { testBots } from '../test/test-command.js';
import type { TestRequest } from '../test/test-round.js';
import { joinedTraits, traitsOf } from './call-traits.js';
import { MutationReport } from './mutation-report.js';
import { type Mutant, planMutants, type ReachingCall } from './plan-mutants.js';
import { mutantsAtOnce, runMutants } from './run-mutants.js';

export interface MutateRequest extends Omit<TestRequest, 'watches' | 'onCounted'> {
  /** The share of mutants that must be noticed, per cent; undefined: any. */
  readonly leastPercent: number | undefined;
}

/**
 * Runs the scenarios, and then those that may notice it against the bot broken in one way after the other.
 * @throws ScenariosInvalid; ReportedError when a scenario has failed, or too few mutants were noticed; StoppedBySignal
 */
export async function mutateBots(request: MutateRequest, context: CliContext, output: Output): Promise<void> {
  const tested = await testedCalls(request, context, output);
  const mutants = planMutants(tested);
  const { bot, isVerbose, leastPercent } = request;
  const { environment, directory } = context;
  const config = await resolveConfig({ flags: { ...(bot && { bot }) }, environment, directory });
  const atOnce = mutantsAtOnce(request.atOnce);
  const signals = watchSignals();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each call
  void signals.first.then((signal) => stop.abort(new StoppedBySignal(signal)));
  const report = new MutationReport({ output, directory, atOnce });
  try {
    await report.begin(mutants, tested);
    const { reached, beyond } = parted(mutants);
    await runMutants(
      reached,
      {
        ...{ config, context, atOnce, isVerbose },
        started: (mutant) => report.started(mutant),
        passed: (ms) => report.passed(ms),
        ended: (outcome) => report.ended(outcome),
      },
      stop.signal,
    );
    if (!stop.signal.aborted) for (const mutant of beyond) report.ended({ mutant, is: 'not_reached' });
    const { percent } = report.end();
    stop.signal.throwIfAborted();
    if (leastPercent !== undefined && percent < leastPercent)
      throw new ReportedError(1, `The scenarios notice ${percent} % of the mutants, and not ${leastPercent} %`);
  } finally {
    report.stop();
    signals.close();
  }
}

/** The calls to the bot as it is: the first run of each scenario that has passed and counts. @throws ReportedError when one has failed */
async function testedCalls(request: MutateRequest, context: CliContext, output: Output): Promise<ReachingCall[]> {
  const tested = new Map<ReachingCall['scenario'], ReachingCall>();
  try {
    await testBots(
      {
        ...request,
        watches: false,
        onCounted: ({ planned: { scenario, wire }, saysTones = false }, { failures }, stories) => {
          const [first, ...following] = stories.map(traitsOf);
          if (!first || failures.length > 0 || tested.has(scenario)) return;
          tested.set(scenario, { scenario, wire, saysTones, traits: following.reduce(joinedTraits, first) });
        },
      },
      context,
      output,
    );
  } catch (error) {
    if (error instanceof ReportedError && !(error instanceof StoppedBySignal))
      output.warn('The bot was not broken: what scenarios notice is known only where all of them pass');
    throw error;
  }
  return [...tested.values()];
}

function parted(mutants: readonly Mutant[]): { reached: Mutant[]; beyond: Mutant[] } {
  const isReached = ({ calls }: Mutant) => calls.length > 0;
  return { reached: mutants.filter(isReached), beyond: mutants.filter((one) => !isReached(one)) };
}
