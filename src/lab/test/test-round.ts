import type { Config } from '../../config/config.js';
import { isAutomated, stateDirectory } from '../../config/environment.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import type { TestCoverage } from '../coverage/coverage.js';
import { type Choice, type Chosen, chooseScenarios, onlyProblems } from './choose-scenarios.js';
import { annotate, annotationsOfProblems } from './github-annotations.js';
import { LastResults } from './last-results.js';
import { planTests, runTests, type TestEnd, type TestWishes } from './run-tests.js';
import { readScenarioFiles, type ScenarioParts } from './scenario-files.js';
import { ScenariosInvalid } from './scenarios-invalid.js';
import { strayErrors } from './stray-errors.js';
import type { PlannedScenario } from './test-outcome.js';
import { TestReport } from './test-report.js';
import { type ResultWishes, writeResults } from './test-results.js';

/** What `voicebot test` was asked for, checked. */
export interface TestRequest extends TestWishes, ResultWishes {
  readonly files: readonly string[];
  readonly bot: string | undefined;
  readonly choice: Choice;
  /** Bots use their own services where a scenario does not say. */
  readonly usesReal: boolean;
  /** Per cent of the bots that scenarios must touch. */
  readonly coverageMin: number | undefined;
  readonly watches: boolean;
  /** Scenarios are shown in place of being run. */
  readonly isList: boolean;
}

/** The scenarios of a test, read, chosen and run: once, or again and again. */
export class TestRound {
  readonly #report: TestReport;
  readonly #last: LastResults;

  constructor(
    readonly request: TestRequest,
    private readonly config: Config,
    private readonly context: CliContext,
    private readonly output: Output,
  ) {
    const { directory, environment } = context;
    this.#report = new TestReport({ output, directory });
    this.#last = new LastResults(stateDirectory(environment), directory);
  }

  /** All scenarios of the files, on their wires. @param parts gets what was read @throws ScenariosInvalid */
  async read(parts?: ScenarioParts): Promise<PlannedScenario[]> {
    const { request, context, output } = this;
    const { directory, environment } = context;
    try {
      const scenarios = await readScenarioFiles(request.files, directory, parts);
      const problems = isAutomated(environment) ? onlyProblems(scenarios) : [];
      if (problems.length > 0) throw new ScenariosInvalid(problems, directory);
      const services = request.usesReal ? 'real' : 'scripted';
      const served = scenarios.map((one) => ({ ...one, services: one.services ?? services }));
      return planTests(served, request, this.config);
    } catch (error) {
      if (error instanceof ScenariosInvalid) annotate(annotationsOfProblems(error.problems), output, context);
      throw error;
    }
  }

  /** @throws NoScenario */
  choose(all: readonly PlannedScenario[], choice: Choice = this.request.choice): Chosen {
    return chooseScenarios(all, choice, this.#last, this.context.directory);
  }

  /** Makes the calls. @param all of every file that was read */
  async run(
    chosen: Chosen,
    all: readonly PlannedScenario[],
    signal: AbortSignal,
  ): Promise<
    TestEnd & {
      readonly coverage?: TestCoverage | undefined /** What failed outside of scenarios. */;
      readonly stray?: readonly string[];
    }
  > {
    const { request, config, context, output } = this;
    const report = this.#report;
    for (const note of chosen.notes) output.warn(note);
    const beganAt = Date.now();
    const end = await runTests(chosen, { config, wishes: request, report, context }, signal);
    if (signal.aborted) return end;
    for (const words of chosen.lastWords) output.line(words);
    const stray = strayErrors.take();
    for (const words of stray) output.warn(words);
    this.#keep(end, all);
    return { ...end, stray, coverage: await writeResults(end, beganAt, request, { config, context, output }) };
  }

  /** The signal of {@link run} was aborted for what the user wants next: until the calls have hung up nothing else is shown. */
  interrupted(): void {
    this.#report.stop();
    this.output.line('Ending the calls that go on …');
  }

  #keep(end: TestEnd, all: readonly PlannedScenario[]): void {
    try {
      this.#last.note(end, all);
    } catch (error) {
      this.output.warn(`--failed will not know of these results: ${(error as Error).message}`);
    }
  }
}
