import { setMaxListeners } from 'node:events';
import { botFileOf } from '../../assembly/create-runner.js';
import { resolveConfig } from '../../config/config.js';
import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { type TestRequest, TestRound } from '../test/test-round.js';
import { signatureOf } from './always-holds.js';
import { type FunctionsCalled, functionsCalled } from './called-by-random.js';
import { type FoundMistake, foundFile, foundIn, writeFound } from './found-mistakes.js';
import { FuzzBase } from './fuzz-base.js';
import { type FuzzCall, FuzzCalls, type FuzzedCall, type FuzzTarget } from './fuzz-calls.js';
import { FuzzReport } from './fuzz-report.js';
import { type RandomCall, RandomCaller } from './random-caller.js';
import { shrunk } from './shrink.js';

export interface FuzzRequest extends TestRequest {
  readonly calls: number;
  /** A whole number above 0: the same one makes the same calls. */
  readonly seed: number;
  /** The longest that neither side may be heard, in milliseconds; 0: any. */
  readonly silenceMs: number;
}

/** Mistakes that are shown by a shorter call, and calls that are made to find one, at most. */
const MOST_SHRUNK = 5;
const MOST_TRIED = 40;

/**
 * Has random callers call the bots of the chosen scenarios, and looks for what never may happen. The shortest call that shows each mistake
 * is written as a scenario.
 * @throws ScenariosInvalid, NoScenario; what a bot fails to load with; ReportedError when a mistake was found; StoppedBySignal
 */
export async function fuzzBots(request: FuzzRequest, context: CliContext, output: Output): Promise<void> {
  const { bot, atOnce, isVerbose, seed } = request;
  const { environment, directory } = context;
  const config = await resolveConfig({ flags: { ...(bot && { bot }) }, environment, directory });
  const round = new TestRound(request, config, context, output);
  const { plan, lastWords } = round.choose(await round.read());
  if (plan.length === 0) {
    for (const words of lastWords) output.line(words);
    return;
  }
  const botFile = botFileOf(config, directory);
  const targets = plan.map(({ scenario, wire }): FuzzTarget => {
    const served = scenario.bot === undefined && config.bot ? { ...scenario, bot: botFile } : scenario;
    return { base: new FuzzBase(served, request.silenceMs), wire };
  });
  const signals = watchSignals();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each call
  void signals.first.then((signal) => stop.abort(new StoppedBySignal(signal)));
  const report = new FuzzReport(output, directory);
  const calls = await FuzzCalls.start({ config, context, atOnce, isVerbose });
  try {
    await report.begin(request.calls, targets.length, seed);
    const over: FuzzedCall[] = [];
    await calls.make(
      randomCalls(targets, request.calls, seed),
      (one) => {
        over.push(one);
        report.over(one);
      },
      stop.signal,
    );
    const found = foundIn(over);
    for (const [at, mistake] of found.entries()) {
      const short = at < MOST_SHRUNK ? await shortest(mistake, calls, request, report, stop.signal) : mistake;
      const file = foundFile(directory, seed, at + 1);
      writeFound(short, file, headOf(short, seed));
      report.found(short, file);
    }
    report.end(over.length, found.length, await functionsOf(over, botFile), stop.signal.aborted);
    if (found.length > 0 && !stop.signal.aborted)
      throw new ReportedError(
        EXIT.scenarioFailed,
        `Random callers have found ${found.length === 1 ? 'one mistake' : `${found.length} mistakes`}`,
      );
    stop.signal.throwIfAborted();
  } finally {
    report.close();
    await calls.close();
    signals.close();
  }
}

/** Only who looks for mistakes waits for the parser to load. @param botFile of scenarios that name none */
async function functionsOf(over: readonly FuzzedCall[], botFile: string): Promise<FunctionsCalled[]> {
  const { writtenFunctions } = await import('../test/tested-coverage.js');
  const botOf = ({ target }: FuzzedCall) => target.base.scenario.bot ?? botFile;
  const bots = [...new Set(over.map(botOf))];
  return Promise.all(
    bots.map(async (bot) => {
      const calls = over.filter((one) => botOf(one) === bot);
      return functionsCalled(bot, calls, await writtenFunctions(bot));
    }),
  );
}

/** Each target gets as many, give or take one; each call has a seed of its own, so that one more target changes no call. */
function randomCalls(targets: readonly FuzzTarget[], count: number, seed: number): FuzzCall[] {
  return Array.from({ length: count }, (_, no) => {
    const target = targets[no % targets.length] as FuzzTarget;
    const call = new RandomCaller(target.base.material, seed * 100_003 + no + 1).call();
    return { target, call, name: `a random caller, ${seed}-${no + 1}` };
  });
}

async function shortest(
  found: FoundMistake,
  calls: FuzzCalls,
  { atOnce }: FuzzRequest,
  report: FuzzReport,
  signal: AbortSignal,
): Promise<FoundMistake> {
  const { shown, mistake } = found;
  const wanted = signatureOf(mistake);
  const known = new Map<RandomCall, FoundMistake>([[shown.call, found]]);
  report.shrinking(found);
  const call = await shrunk(
    shown.call,
    async (candidates) => {
      const failing = new Map<string, FoundMistake>();
      const nameOf = (at: number) => `${shown.name}, shorter ${at + 1}`;
      const onOver = (one: FuzzedCall) => {
        const same = one.mistakes.find((other) => signatureOf(other) === wanted);
        if (same) failing.set(one.name, { ...found, mistake: same, shown: { ...one, name: shown.name } });
      };
      const made = candidates.map((one, at) => ({ ...shown, call: one, name: nameOf(at) }));
      await calls.make(made, onOver, signal);
      return candidates.map((one, at) => {
        const shows = failing.get(nameOf(at));
        if (shows) known.set(one, shows);
        return shows !== undefined;
      });
    },
    { atOnce, most: signal.aborted ? 0 : MOST_TRIED },
  );
  return known.get(call) ?? found;
}

const headOf = ({ mistake, shown }: FoundMistake, seed: number): string[] => [
  `Found by random callers (--seed ${seed}): ${mistake.field}: ${mistake.expected}.`,
  mistake.happened,
  ...(typeof shown.target.base.scenario.model === 'function'
    ? ['The model of its scenario is code, and missing here.']
    : []),
];
