import { botFileOf } from '../../assembly/create-runner.js';
import type { TransportKind } from '../../assembly/transports.js';
import { machineNow } from '../../base/clock/process-clock.js';
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
import type { Stage } from '../stage/stage.js';
import { type MakeCall, makeCalls, makeCallsAtSpeed, makeCallsInTones, type PlannedCall } from './make-calls.js';
import { runScenario } from './run-scenario.js';
import type { TestMeans } from './scenario-call.js';
import { realTimeReason } from './speed.js';
import type { Stages, StagesOptions } from './stages.js';
import type { NotRun, PlannedScenario, ScenarioOnWire, TestOutcome } from './test-outcome.js';
import type { TestReport } from './test-report.js';
import { spokenReason } from './text-only.js';

/** What was asked for on the command line. */
export interface TestWishes {
  readonly transport: TransportKind | undefined;
  readonly carrier: CarrierName | 'all' | undefined;
  /** In place of what the scenarios say. */
  readonly runs: number | undefined;
  readonly atOnce: number;
  /** After so many scenarios that have failed, or could not be run, no call is begun. Undefined: after none. */
  readonly bail: number | undefined;
  /** How many times the speed of a telephone, for the scenarios that need no real time; undefined: all in real time. */
  readonly speed?: number | undefined;
  /** Only the wording is tested, of the scenarios that need no speech: all say tones in place of words. Default false. */
  readonly isTextOnly?: boolean | undefined;
  /** The runners' full log goes to standard error. */
  readonly isVerbose: boolean;
  /** Told of each run that counts, with its calls. */
  readonly onCounted?: (one: PlannedCall, run: ScenarioRun, stories: readonly CallStory[]) => void;
}

export interface RunTestsOptions {
  readonly config: Config;
  readonly wishes: TestWishes;
  readonly report: TestReport;
  readonly context: CliContext;
}

/** What a test has come to, and why bots have not loaded. */
export type TestEnd = TestOutcome & { readonly loadErrors: readonly unknown[] };

/** What is run, and what says that it is not. */
export interface TestPlan {
  readonly plan: readonly PlannedScenario[];
  readonly skipped: readonly NotRun[];
}

/** Makes the calls of scenarios, several at once, and tells the report. Aborted, calls hang up and nothing more is begun. */
export async function runTests(
  { plan, skipped }: TestPlan,
  options: RunTestsOptions,
  signal: AbortSignal,
): Promise<TestEnd> {
  const { config, wishes, report, context } = options;
  const { speed } = wishes;
  const { environment, directory } = context;
  const began = machineNow();
  await report.begin(plan, skipped, wishes);
  const scripts = await ScriptServer.start({ knowsAllCalls: true });
  if (speed) await scripts.loadVoice();
  // What goes wrong in a call is a failure of its scenario, or was planned: its folder tells the rest.
  const log = new KeptLog(wishes.isVerbose ? createLogger({ level: 'debug' }) : silentLogger);
  const staged: StagesOptions = {
    config,
    botFile: botFileOf(config, directory),
    scriptUrl: scripts.url,
    atOnce: wishes.atOnce,
    environment,
    logger: log,
  };
  const means: TestMeans = { scripts, voice: new CallerVoice(), home: stateDirectory(environment), environment, log };
  const tones = new CallerVoice(true);
  const told = new WeakMap<PlannedCall, CallStory[]>();
  const meansOf = (call: PlannedCall): TestMeans => {
    const stories: CallStory[] = [];
    if (wishes.onCounted) told.set(call, stories);
    return {
      ...means,
      ...(call.saysTones && { voice: tones }),
      ...(wishes.onCounted && { onStory: (story: CallStory) => void stories.push(story) }),
    };
  };
  const progress = new Progress(plan, report, wishes.bail);
  const turns = plan.flatMap((planned) =>
    Array.from({ length: planned.runs }, (_, at): PlannedCall => ({ planned, no: at + 1 })),
  );
  let spokenAgain = 0;
  try {
    const make: MakeCall = async (call, stages) =>
      progress.isEnough ? undefined : take(call, stages, progress, meansOf(call), signal);
    const counts = (call: PlannedCall, run: ScenarioRun) => {
      wishes.onCounted?.(call, run, told.get(call) ?? []);
      progress.ran(call.planned, { ...run, late: undefined, atSpeed: call.atSpeed });
    };
    const isQuick = ({ planned }: PlannedCall) => speed !== undefined && planned.realTime === undefined;
    const again = speed ? await makeCallsAtSpeed(turns.filter(isQuick), speed, staged, { make, counts }, signal) : [];
    const isTones = ({ planned }: PlannedCall) => wishes.isTextOnly === true && planned.spoken === undefined;
    const makeOne = async (call: PlannedCall, stages: Stages) => {
      const run = await make(call, stages);
      if (!run) return;
      if (call.isSpokenAgain) spokenAgain += 1;
      counts(call, run);
    };
    const failed = await makeCallsInTones(turns.filter(isTones), staged, { make, counts }, signal);
    const inRealTime = [...turns.filter((turn) => !isQuick(turn) && !isTones(turn)), ...again, ...failed];
    await makeCalls(inRealTime, staged, makeOne, signal);
  } finally {
    await scripts.close();
  }
  if (signal.aborted) report.stop();
  else {
    progress.bailOut();
    report.end({ wallMs: machineNow() - began, spokenAgain });
  }
  const { results, notRun, bailed, loadErrors } = progress;
  return { results, notRun, bailed, skipped, loadErrors };
}

async function take(
  { planned, no }: PlannedCall,
  stages: Stages,
  progress: Progress,
  means: TestMeans,
  signal: AbortSignal,
): Promise<ScenarioRun | undefined> {
  const { scenario, wire } = planned;
  try {
    const call = (stage: Stage) => {
      progress.started(planned, no);
      return runScenario(scenario, stage, no, means, signal);
    };
    const run = await stages.use(scenario, wire, call, signal);
    return signal.aborted ? undefined : run;
  } catch (error) {
    if (!signal.aborted) progress.couldNotRun(planned, error);
    return undefined;
  }
}

/** Over which wires scenarios run, and how often each. */
export const planTests = (
  scenarios: readonly PlacedScenario[],
  wishes: TestWishes,
  config: Config,
): PlannedScenario[] => scenarios.flatMap((scenario) => planOf(scenario, wishes, config));

function planOf(
  scenario: PlacedScenario,
  { transport, carrier, runs, speed, isTextOnly }: TestWishes,
  config: Config,
): PlannedScenario[] {
  const wanted = scenario.carrier ? 'carrier' : (scenario.transport ?? transport ?? config.transport);
  const name = scenario.carrier ?? carrier ?? config.carriers.carrier ?? DEFAULT_CARRIER;
  const wires: readonly Wire[] = wanted === 'rooms' ? ['rooms'] : name === 'all' ? CARRIER_NAMES : [name];
  return wires.map((wire) => ({
    scenario,
    wire,
    runs: runs ?? scenario.runs,
    ...(speed && { realTime: realTimeReason(scenario, wire) }),
    ...(isTextOnly && { spoken: spokenReason(scenario) }),
  }));
}

/** What has come of each scenario so far. */
class Progress {
  readonly results: ScenarioResult[] = [];
  readonly notRun: NotRun[] = [];
  readonly bailed: NotRun[] = [];
  /** Each bot's once. */
  readonly loadErrors: unknown[] = [];
  readonly #runs: ReadonlyMap<PlannedScenario, ScenarioRun[]>;

  /** @param bail how many scenarios that fail are enough; undefined: no number of them */
  constructor(
    plan: readonly PlannedScenario[],
    private readonly report: TestReport,
    private readonly bail: number | undefined,
  ) {
    this.#runs = new Map(plan.map((planned) => [planned, []]));
  }

  /** So many have failed that no more calls are to be made. */
  get isEnough(): boolean {
    return this.bail !== undefined && this.#failed >= this.bail;
  }

  get #failed(): number {
    return this.results.filter(({ passed }) => !passed).length + this.notRun.length;
  }

  /** All calls that were begun are over: tells what has no result. */
  bailOut(): void {
    if (!this.isEnough) return;
    const isOf = (planned: PlannedScenario) => (one: ScenarioOnWire) =>
      one.scenario === planned.scenario && one.wire === planned.wire;
    for (const planned of this.#runs.keys()) {
      if (this.results.some(isOf(planned)) || this.notRun.some(isOf(planned))) continue;
      const { scenario, wire } = planned;
      const why = `--bail ${this.bail}: ${this.#failed} ${this.#failed === 1 ? 'scenario has' : 'scenarios have'} failed`;
      this.bailed.push({ scenario, wire, why });
      this.report.notRun(scenario, wire, why, 'bailed');
    }
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
