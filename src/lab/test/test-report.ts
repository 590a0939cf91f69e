import { inWords } from '../../call/view/events.js';
import type { Output, TerminalSize } from '../../terminal/output.js';
import { type Failure, KIND_WORDS, kindOf, type ScenarioRun } from '../scenario/call-story.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import type { ScenarioResult, Wire } from '../scenario/scenario-result.js';
import { failureLines, failuresIn } from './failure-text.js';
import { ScenarioProgress, type ScenarioState } from './scenario-progress.js';
import { shownPath, shownPlace } from './shown-path.js';
import { realTimeOf, repeatedFields, repeatedLines, speedWords } from './speed-text.js';
import {
  byFile,
  type NotRun,
  type NotRunKind,
  type PlannedScenario,
  type ScenarioOnWire,
  titlesOf,
} from './test-outcome.js';
import { marked, TestTree } from './test-tree.js';
import { spokenOf, textOnlyWords } from './text-only.js';

/** What a scenario's failure stands behind. */
const INDENT = ' '.repeat(6);

/** Whether scenarios are run sooner than telephones would. */
interface TestPace {
  readonly speed?: number | undefined;
  readonly isTextOnly?: boolean | undefined;
}

export interface TestReportDeps {
  readonly output: Output;
  /** The working directory. */
  readonly directory: string;
  /** Milliseconds of any clock. Default: the system's. */
  readonly now?: () => number;
}

/**
 * Tells a person and a program what becomes of scenarios: on a terminal a tree that fills as calls run, elsewhere a line for each
 * scenario that is over. Every scenario of the plan is either finished or not run; then the test ends.
 */
export class TestReport {
  readonly #output: Output;
  readonly #directory: string;
  readonly #now: () => number;
  #scenarios: readonly ScenarioProgress[] = [];
  #tree: TestTree | undefined;
  #titleOf: (one: ScenarioOnWire) => string = ({ scenario }) => scenario.name;
  #failed: ScenarioResult[] = [];
  #notRun: NotRun[] = [];
  #speed: number | undefined;
  #leaveTree: (() => void) | undefined;

  constructor({ output, directory, now = () => performance.now() }: TestReportDeps) {
    this.#output = output;
    this.#directory = directory;
    this.#now = now;
  }

  /**
   * May be called again once the test before has ended.
   * @param skipped they are told beside those of the plan
   * @param pace `speed` of the scenarios that need no real time, default: none is faster; `isTextOnly`: those that need no speech have none
   */
  async begin(
    plan: readonly PlannedScenario[],
    skipped: readonly NotRun[] = [],
    { speed, isTextOnly }: TestPace = {},
  ): Promise<void> {
    const { paint } = this.#output;
    const fileName = (file: string) => shownPath(file, this.#directory);
    const titleOf = titlesOf([...plan, ...skipped]);
    const all = [...plan, ...skipped.map((one) => ({ ...one, runs: 0 }))];
    this.#scenarios = all.map((planned) => new ScenarioProgress(planned, this.#now));
    const tree = new TestTree(this.#scenarios, { paint, titleOf, fileName });
    [this.#tree, this.#titleOf, this.#failed, this.#notRun] = [tree, titleOf, [], []];
    const calls = plan.reduce((sum, { runs }) => sum + runs, 0);
    this.#output.event('test_began', {
      scenarios: plan.map((planned) => ({ ...placeOf(planned), runs: planned.runs })),
      calls,
      ...(speed !== undefined && { speed, realTime: realTimeOf(plan) }),
      ...(isTextOnly && { textOnly: true, spoken: spokenOf(plan) }),
    });
    const counted = [counting(plan.length, 'scenario'), counting(calls, 'call'), counting(byFile(plan).size, 'file')];
    this.#speed = speed;
    this.#output.line(`Testing ${counted[0]} of ${counted[2]}${calls === plan.length ? '' : `, ${counted[1]}`}`);
    if (speed !== undefined) this.#output.line(speedWords(speed, plan));
    if (isTextOnly) this.#output.line(textOnlyWords(plan));
    this.#leaveTree = await this.#output.live((room) => this.#live(tree, room));
    for (const { scenario, wire, why } of skipped) {
      this.#of({ scenario, wire })?.skipped(why);
      this.#output.event('scenario_skipped', { ...placeOf({ scenario, wire }), reason: why || undefined });
      this.#over({ scenario, wire });
    }
  }

  /** A call begins. @param no of the run, from 1 */
  started(scenario: PlacedScenario, wire: Wire, no: number): void {
    this.#of({ scenario, wire })?.started(no);
  }

  /** A call is over. */
  ran(scenario: PlacedScenario, wire: Wire, run: ScenarioRun): void {
    const { no, callId, folder, startedAt, lengthMs, measures, lines, failures, speed, atSpeed } = run;
    this.#of({ scenario, wire })?.ran(run);
    this.#output.event('scenario_ran', {
      ...placeOf({ scenario, wire }),
      run: no,
      callId,
      folder,
      startedAt: new Date(startedAt).toISOString(),
      lengthMs,
      measures,
      lines,
      failures: failures.map(withKind),
      kind: kindOf(failures),
      ...(this.#speed !== undefined && { speed: speed ?? 1, ...(atSpeed && { atSpeed }) }),
      passed: failures.length === 0,
    });
  }

  /** All runs of a scenario are over. */
  finished(result: ScenarioResult): void {
    const { runs, answers, failures, passed } = result;
    this.#of(result)?.finished(result);
    if (!passed) this.#failed.push(result);
    this.#output.event('scenario', {
      ...placeOf(result),
      runs: runs.length,
      passedRuns: runs.filter((run) => run.failures.length === 0).length,
      lengthMs: runs.reduce((sum, { lengthMs }) => sum + lengthMs, 0),
      answers,
      failures,
      kind: passed ? undefined : kindOf(failuresIn(result)),
      passed,
    });
    this.#over(result);
  }

  /** It has no result. @param why for people; told once, for all scenarios that have the same */
  notRun(scenario: PlacedScenario, wire: Wire, why: string, kind: NotRunKind = 'never_started'): void {
    this.#of({ scenario, wire })?.notRun();
    this.#notRun.push({ scenario, wire, why });
    this.#output.event('scenario_not_run', { ...placeOf({ scenario, wire }), kind, reason: why });
    this.#over({ scenario, wire });
  }

  /** The last word. @param wallMs how long the test took @param spokenAgain calls that failed with tones and were made again with words */
  end({ wallMs, spokenAgain = 0 }: { readonly wallMs: number; readonly spokenAgain?: number }): void {
    this.stop();
    const callsMs = this.#scenarios.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
    const calls = this.#scenarios.reduce((sum, one) => sum + one.calls, 0);
    const runs = this.#scenarios.flatMap(({ planned, runs }) =>
      runs.map((run) => ({ title: this.#titleOf(planned), run })),
    );
    const [passed, failed, notRun] = [this.#count('passed'), this.#count('failed'), this.#count('not_run')];
    const skipped = this.#count('skipped');
    this.#output.event('test_ended', {
      passed,
      failed,
      notRun,
      skipped,
      calls,
      callsMs,
      wallMs,
      ...repeatedFields(this.#speed, runs),
      ...(spokenAgain > 0 && { spokenAgain }),
    });
    this.#listReasons();
    this.#listFailed();
    for (const line of repeatedLines(runs)) this.#output.line(line);
    if (spokenAgain > 0)
      this.#output.line(
        `${counting(spokenAgain, 'call')} failed with tones, and ${spokenAgain === 1 ? 'was' : 'were'} made again with words`,
      );
    const { paint } = this.#output;
    const sums = [
      ...(passed > 0 || failed + notRun === 0 ? [paint.green(`${passed} passed`)] : []),
      ...(failed > 0 ? [paint.red(`${failed} failed${this.#brokenWords()}`)] : []),
      ...(notRun > 0 ? [paint.yellow(`${notRun} not run`)] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ];
    this.#output.line();
    this.#output.line(
      `${sums.join(', ')}: ${counting(calls, 'call')} of ${inWords(callsMs)} together, in ${inWords(wallMs)}`,
    );
  }

  /** Takes the tree away, where the test does not come to its end. More than once does no harm. */
  stop(): void {
    this.#leaveTree?.();
    this.#leaveTree = undefined;
  }

  readonly #count = (state: ScenarioState): number => this.#scenarios.filter((one) => one.state === state).length;

  #of({ scenario, wire }: ScenarioOnWire): ScenarioProgress | undefined {
    return this.#scenarios.find(({ planned }) => planned.scenario === scenario && planned.wire === wire);
  }

  /** On a terminal a file is written once it is over, above what still runs; elsewhere each scenario by itself. */
  #over(one: ScenarioOnWire): void {
    if (this.#output.isForPrograms || !this.#tree) return;
    const { file } = one.scenario;
    if (this.#leaveTree) {
      if (!this.#tree.isOver(file)) return;
      // At one go: the tree is written again after each line.
      this.#output.line(this.#tree.whole(file, ({ planned }) => this.#failureOf(planned)).join('\n'));
      return;
    }
    const progress = this.#of(one);
    if (!progress) return;
    const words = [shownPath(file, this.#directory), this.#titleOf(one), ...progress.figures].filter(Boolean);
    this.#output.line(`${marked(progress.state, this.#output.paint)} ${words.join('  ')}`);
    for (const line of this.#failureOf(one)) this.#output.line(line);
  }

  #failureOf({ scenario, wire }: ScenarioOnWire): string[] {
    const result = this.#failed.find((one) => one.scenario === scenario && one.wire === wire);
    if (!result) return [];
    const { paint } = this.#output;
    const lines = [...failureLines(result), `scenario  ${shownPlace(scenario, this.#directory)}`];
    return lines.map((line) => INDENT + (line.startsWith('happened') ? paint.red(line) : line));
  }

  #live(tree: TestTree, room: TerminalSize): string[] {
    const states = ['passed', 'failed', 'not_run', 'skipped', 'running', 'waiting'] as const;
    const sums = states.flatMap((state) => {
      const count = this.#count(state);
      return count === 0 ? [] : [`${count} ${state.replace('_', ' ')}`];
    });
    return [...tree.unfinished(room), '', sums.join(', ')];
  }

  /** How many of the failed ones say that the bot is broken, rather than what it answers. */
  #brokenWords(): string {
    const broken = this.#failed.filter((result) => kindOf(failuresIn(result)) === 'broke').length;
    return broken === 0 ? '' : ` (${broken} because the bot broke)`;
  }

  #listReasons(): void {
    for (const why of new Set(this.#notRun.map((one) => one.why))) {
      const scenarios = this.#notRun.filter((one) => one.why === why);
      this.#output.line();
      this.#output.line(`${this.#output.paint.yellow('!')} ${counting(scenarios.length, 'scenario')} not run: ${why}`);
    }
  }

  /** What has failed, once more in short: it may have scrolled away. */
  #listFailed(): void {
    if (this.#failed.length === 0 || this.#scenarios.length === 1) return;
    this.#output.line();
    for (const result of this.#failed) {
      const place = this.#output.paint.dim(shownPlace(result.scenario, this.#directory));
      const kind = kindOf(failuresIn(result));
      const what = kind === undefined || kind === 'answered_wrongly' ? '' : `: ${KIND_WORDS[kind]}`;
      this.#output.line(`${marked('failed', this.#output.paint)} ${this.#titleOf(result)}${what}  ${place}`);
    }
  }
}

/** Machines need not know which kind is the default. */
const withKind = (failure: Failure) => ({ ...failure, kind: failure.kind ?? 'answered_wrongly' });

/** What every event of a scenario has. */
const placeOf = ({ scenario: { name, file, line }, wire }: ScenarioOnWire) => ({ name, file, line, wire });

const counting = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
