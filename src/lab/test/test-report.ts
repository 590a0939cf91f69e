import { inWords } from '../../call/view/events.js';
import type { Output, TerminalSize } from '../../terminal/output.js';
import type { ScenarioRun } from '../scenario/call-story.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import type { ScenarioResult, Wire } from '../scenario/scenario-result.js';
import { failureLines } from './failure-text.js';
import { ScenarioProgress, type ScenarioState } from './scenario-progress.js';
import { shownPath, shownPlace } from './shown-path.js';
import { realTimeOf, repeatedFields, repeatedLines, speedWords } from './speed-text.js';
import { type NotRun, type PlannedScenario, type ScenarioOnWire, titlesOf } from './test-outcome.js';
import { marked, TestTree } from './test-tree.js';

/** What a scenario's failure stands behind. */
const INDENT = ' '.repeat(6);

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

  /** May be called again once the test before has ended. @param speed of the scenarios that need no real time; default: none is faster */
  async begin(plan: readonly PlannedScenario[], speed?: number): Promise<void> {
    const { paint } = this.#output;
    const fileName = (file: string) => shownPath(file, this.#directory);
    const titleOf = titlesOf(plan);
    this.#scenarios = plan.map((planned) => new ScenarioProgress(planned, this.#now));
    const tree = new TestTree(this.#scenarios, { paint, titleOf, fileName });
    [this.#tree, this.#titleOf, this.#failed, this.#notRun] = [tree, titleOf, [], []];
    const calls = plan.reduce((sum, { runs }) => sum + runs, 0);
    this.#output.event('test_began', {
      scenarios: plan.map((planned) => ({ ...placeOf(planned), runs: planned.runs })),
      calls,
      ...(speed !== undefined && { speed, realTime: realTimeOf(plan) }),
    });
    const counted = [counting(plan.length, 'scenario'), counting(calls, 'call'), counting(tree.fileCount, 'file')];
    this.#speed = speed;
    this.#output.line(`Testing ${counted[0]} of ${counted[2]}${calls === plan.length ? '' : `, ${counted[1]}`}`);
    if (speed !== undefined) this.#output.line(speedWords(speed, plan));
    this.#leaveTree = await this.#output.live((room) => this.#live(tree, room));
  }

  /** A call begins. @param no of the run, from 1 */
  started(scenario: PlacedScenario, wire: Wire, no: number): void {
    this.#of({ scenario, wire })?.started(no);
  }

  /** A call is over. */
  ran(scenario: PlacedScenario, wire: Wire, run: ScenarioRun): void {
    const { no, callId, folder, startedAt, lengthMs, measures, failures, speed, atSpeed } = run;
    this.#of({ scenario, wire })?.ran(run);
    this.#output.event('scenario_ran', {
      ...placeOf({ scenario, wire }),
      run: no,
      callId,
      folder,
      startedAt: new Date(startedAt).toISOString(),
      lengthMs,
      measures,
      failures,
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
      passed,
    });
    this.#over(result);
  }

  /** No call could be made. @param why for people; told once, for all scenarios that have the same */
  notRun(scenario: PlacedScenario, wire: Wire, why: string): void {
    this.#of({ scenario, wire })?.notRun();
    this.#notRun.push({ scenario, wire, why });
    this.#output.event('scenario_not_run', { ...placeOf({ scenario, wire }), reason: why });
    this.#over({ scenario, wire });
  }

  /** The last word. @param wallMs how long the test took */
  end({ wallMs }: { readonly wallMs: number }): void {
    this.stop();
    const callsMs = this.#scenarios.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
    const calls = this.#scenarios.reduce((sum, one) => sum + one.calls, 0);
    const runs = this.#scenarios.flatMap(({ planned, runs }) =>
      runs.map((run) => ({ title: this.#titleOf(planned), run })),
    );
    const [passed, failed, notRun] = [this.#count('passed'), this.#count('failed'), this.#count('not_run')];
    this.#output.event('test_ended', {
      passed,
      failed,
      notRun,
      calls,
      callsMs,
      wallMs,
      ...repeatedFields(this.#speed, runs),
    });
    this.#listReasons();
    this.#listFailed();
    for (const line of repeatedLines(runs)) this.#output.line(line);
    const { paint } = this.#output;
    const sums = [
      ...(passed > 0 || failed + notRun === 0 ? [paint.green(`${passed} passed`)] : []),
      ...(failed > 0 ? [paint.red(`${failed} failed`)] : []),
      ...(notRun > 0 ? [paint.yellow(`${notRun} not run`)] : []),
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
    const words = { passed: 'passed', failed: 'failed', not_run: 'not run', running: 'running', waiting: 'waiting' };
    const sums = Object.entries(words).flatMap(([state, word]) => {
      const count = this.#count(state as ScenarioState);
      return count === 0 ? [] : [`${count} ${word}`];
    });
    return [...tree.unfinished(room), '', sums.join(', ')];
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
      this.#output.line(`${marked('failed', this.#output.paint)} ${this.#titleOf(result)}  ${place}`);
    }
  }
}

/** What every event of a scenario has. */
const placeOf = ({ scenario: { name, file, line }, wire }: ScenarioOnWire) => ({ name, file, line, wire });

const counting = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
