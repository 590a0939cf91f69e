import { botFileOf } from '../../assembly/create-runner.js';
import type { TransportKind } from '../../assembly/transports.js';
import { VoicebotError } from '../../base/errors.js';
import { createLogger, silentLogger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { CARRIER_NAMES, type CarrierName, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import type { CliContext } from '../../terminal/context.js';
import type { CallStory, ScenarioRun } from '../scenario/call-story.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { resultOf, type ScenarioResult, type Wire } from '../scenario/scenario-result.js';
import { CallerVoice } from '../stage/caller-voice.js';
import { KeptLog } from '../stage/kept-log.js';
import { ScriptServer } from '../stage/script-server.js';
import { runScenario, type TestMeans } from './run-scenario.js';
import { Stages } from './stages.js';
import type { NotRun, PlannedScenario, ScenarioOnWire, TestOutcome } from './test-outcome.js';
import type { TestReport } from './test-report.js';

/** What was asked for on the command line. */
export interface TestWishes {
  readonly transport: TransportKind | undefined;
  readonly carrier: CarrierName | 'all' | undefined;
  /** In place of what the scenarios say. */
  readonly runs: number | undefined;
  readonly atOnce: number;
  /** The runners' full log goes to standard error. */
  readonly isVerbose: boolean;
  /** Told of each call that is over. */
  readonly onStory?: (one: ScenarioOnWire, story: CallStory) => void;
}

export interface RunTestsOptions {
  readonly config: Config;
  readonly wishes: TestWishes;
  readonly report: TestReport;
  readonly context: CliContext;
}

/** One call that is to be made. */
interface PlannedCall {
  readonly planned: PlannedScenario;
  readonly no: number;
}

/** What a test has come to, and why bots have not loaded. */
export type TestEnd = TestOutcome & { readonly loadErrors: readonly unknown[] };

/** Makes the calls of scenarios, several at once, and tells the report. Aborted, calls hang up and nothing more is begun. */
export async function runTests(
  scenarios: readonly PlacedScenario[],
  options: RunTestsOptions,
  signal: AbortSignal,
): Promise<TestEnd> {
  const { config, wishes, report, context } = options;
  const { environment, directory } = context;
  const plan = scenarios.flatMap((scenario) => planOf(scenario, wishes, config));
  const began = performance.now();
  await report.begin(plan);
  const scripts = await ScriptServer.start({ knowsAllCalls: true });
  // What goes wrong in a call is a failure of its scenario, or was planned: its folder tells the rest.
  const log = new KeptLog(wishes.isVerbose ? createLogger({ level: 'debug' }) : silentLogger);
  const stages = new Stages({
    config,
    botFile: botFileOf(config, directory),
    scriptUrl: scripts.url,
    atOnce: wishes.atOnce,
    environment,
    logger: log,
  });
  for (const { scenario, wire, runs } of plan) stages.announce(scenario, wire, runs);
  const means: TestMeans = { scripts, voice: new CallerVoice(), home: stateDirectory(environment), log };
  const meansOf = (one: ScenarioOnWire): TestMeans => ({ ...means, onStory: (story) => wishes.onStory?.(one, story) });
  const progress = new Progress(plan, report);
  const turns = plan.flatMap((planned) =>
    Array.from({ length: planned.runs }, (_, at): PlannedCall => ({ planned, no: at + 1 })),
  );
  const work = async () => {
    for (let turn = turns.shift(); turn && !signal.aborted; turn = turns.shift())
      await take(turn, stages, progress, meansOf(turn.planned), signal);
  };
  try {
    await Promise.all(Array.from({ length: wishes.atOnce }, work));
  } finally {
    await stages.close();
    await scripts.close();
  }
  if (signal.aborted) report.stop();
  else report.end({ wallMs: performance.now() - began });
  return { results: progress.results, notRun: progress.notRun, loadErrors: progress.loadErrors };
}

async function take(
  { planned, no }: PlannedCall,
  stages: Stages,
  progress: Progress,
  means: TestMeans,
  signal: AbortSignal,
): Promise<void> {
  const { scenario, wire } = planned;
  try {
    const run = await stages.use(scenario, wire, (stage) => {
      progress.started(planned, no);
      return runScenario(scenario, stage, no, means, signal);
    });
    if (!signal.aborted) progress.ran(planned, run);
  } catch (error) {
    if (!signal.aborted) progress.couldNotRun(planned, error);
  }
}

/** Over which wires a scenario runs, and how often. */
function planOf(scenario: PlacedScenario, { transport, carrier, runs }: TestWishes, config: Config): PlannedScenario[] {
  const wanted = scenario.carrier ? 'carrier' : (scenario.transport ?? transport ?? config.transport);
  const name = scenario.carrier ?? carrier ?? config.carriers.carrier ?? DEFAULT_CARRIER;
  const wires: readonly Wire[] = wanted === 'rooms' ? ['rooms'] : name === 'all' ? CARRIER_NAMES : [name];
  return wires.map((wire) => ({ scenario, wire, runs: runs ?? scenario.runs }));
}

/** What has come of each scenario so far. */
class Progress {
  readonly results: ScenarioResult[] = [];
  readonly notRun: NotRun[] = [];
  /** Each bot's once. */
  readonly loadErrors: unknown[] = [];
  readonly #runs: ReadonlyMap<PlannedScenario, ScenarioRun[]>;

  constructor(
    plan: readonly PlannedScenario[],
    private readonly report: TestReport,
  ) {
    this.#runs = new Map(plan.map((planned) => [planned, []]));
  }

  started({ scenario, wire }: PlannedScenario, no: number): void {
    this.report.started(scenario, wire, no);
  }

  ran(planned: PlannedScenario, run: ScenarioRun): void {
    const { scenario, wire } = planned;
    const runs = this.#runs.get(planned) ?? [];
    runs.push(run);
    this.report.ran(scenario, wire, run);
    if (runs.length < planned.runs) return;
    const result = resultOf(
      scenario,
      wire,
      runs.toSorted((a, b) => a.no - b.no),
    );
    this.results.push(result);
    this.report.finished(result);
  }

  couldNotRun({ scenario, wire }: PlannedScenario, error: unknown): void {
    if (!this.loadErrors.includes(error)) this.loadErrors.push(error);
    if (this.notRun.some((one) => one.scenario === scenario && one.wire === wire)) return;
    const { message, hint } = VoicebotError.fieldsOf(error, 'VB_INTERNAL');
    const why = hint === undefined ? message : `${message} (${hint})`;
    this.notRun.push({ scenario, wire, why });
    this.report.notRun(scenario, wire, why);
  }
}
