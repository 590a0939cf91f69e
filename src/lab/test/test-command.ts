import { setMaxListeners } from 'node:events';
import { join, resolve } from 'node:path';
import { botFileOf } from '../../assembly/create-runner.js';
import { VoicebotError } from '../../base/errors.js';
import { type Config, resolveConfig } from '../../config/config.js';
import { contentOf, prepareBot } from '../../runner/bots/bot-source.js';
import { BotWatch } from '../../runner/bots/bot-watch.js';
import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import type { TestCoverage } from '../coverage/coverage.js';
import { coverageEvent, coverageLines } from '../coverage/coverage-lines.js';
import { coverageSection } from '../coverage/coverage-section.js';
import { REPORT_FILES } from '../report/report-folder.js';
import { writeReport } from '../report/write-report.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { annotate, annotationsOf, annotationsOfProblems } from './github-annotations.js';
import { junitXml, writeJunit } from './junit.js';
import { reportedTest } from './reported-outcome.js';
import { runTests, type TestEnd, type TestWishes } from './run-tests.js';
import { readScenarioFiles } from './scenario-files.js';
import { ScenariosInvalid } from './scenarios-invalid.js';
import { shownPath } from './shown-path.js';
import { TestReport } from './test-report.js';
import { testedCoverage } from './tested-coverage.js';

/** What `voicebot test` was asked for, checked. */
export interface TestRequest extends TestWishes {
  readonly files: readonly string[];
  readonly bot: string | undefined;
  /** Only scenarios with these words in their names. */
  readonly name: string | undefined;
  /** Bots use their own services where a scenario does not say. */
  readonly usesReal: boolean;
  /** Absolute path. */
  readonly junit: string | undefined;
  /** Absolute path of the folder that gets the pages of the test. */
  readonly output: string | undefined;
  /** Tell what of the bots no scenario touches. */
  readonly tellsCoverage: boolean;
  /** Per cent of it that scenarios must touch. */
  readonly coverageMin: number | undefined;
  readonly watches: boolean;
}

/**
 * Runs the scenarios.
 * @throws ScenariosInvalid; ReportedError when one has failed or could not be run; StoppedBySignal
 */
export async function testBots(request: TestRequest, context: CliContext, output: Output): Promise<void> {
  const { environment, directory } = context;
  const config = await resolveConfig({ flags: { ...(request.bot && { bot: request.bot }) }, environment, directory });
  const signals = watchSignals();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one for each call
  void signals.first.then((signal) => stop.abort(new StoppedBySignal(signal)));
  const report = new TestReport({ output, directory });
  try {
    if (request.watches) await watchAndTest(request, config, report, context, output, stop.signal);
    else {
      const { loadErrors, results, notRun, coverage } = await testOnce(
        await read(request, context, output),
        request,
        config,
        report,
        context,
        output,
        stop.signal,
      );
      stop.signal.throwIfAborted();
      const failed = results.filter(({ passed }) => !passed).length + notRun.length;
      const words = `${failed} of ${results.length + notRun.length} scenarios failed`;
      const [error] = loadErrors.map((one) => VoicebotError.fieldsOf(one, 'VB_INTERNAL'));
      if (failed > 0) throw new ReportedError(EXIT.scenarioFailed, error?.message ?? words, error);
      refuseLittle(coverage, request, output);
    }
  } finally {
    signals.close();
  }
}

/** @throws ReportedError where scenarios touch less of the bots than they must */
function refuseLittle(coverage: TestCoverage | undefined, { coverageMin }: TestRequest, output: Output): void {
  if (!coverage || coverageMin === undefined || coverage.percent >= coverageMin) return;
  const words = `scenarios touch ${coverage.percent} % of what the bots have, less than ${coverageMin} %`;
  output.line(output.paint.red(`✖ ${words}`));
  throw new ReportedError(EXIT.scenarioFailed, words);
}

async function read(request: TestRequest, context: CliContext, output: Output): Promise<PlacedScenario[]> {
  const { files, name, usesReal } = request;
  try {
    const scenarios = await readScenarioFiles(files, context.directory);
    const services = usesReal ? 'real' : 'scripted';
    return scenarios
      .filter((one) => name === undefined || one.name.toLowerCase().includes(name.toLowerCase()))
      .map((one) => ({ ...one, services: one.services ?? services }));
  } catch (error) {
    if (error instanceof ScenariosInvalid) annotate(annotationsOfProblems(error.problems), output, context);
    throw error;
  }
}

async function testOnce(
  scenarios: readonly PlacedScenario[],
  request: TestRequest,
  config: Config,
  report: TestReport,
  context: CliContext,
  output: Output,
  signal: AbortSignal,
): Promise<TestEnd & { readonly coverage?: TestCoverage | undefined }> {
  const began = Date.now();
  const end = await runTests(scenarios, { config, wishes: request, report, context }, signal);
  if (signal.aborted) return end;
  const { directory } = context;
  const shown = (file: string) => shownPath(file, directory);
  const coverage = request.tellsCoverage ? await testedCoverage(end, botFileOf(config, directory)) : undefined;
  if (coverage) {
    output.event('coverage', coverageEvent(coverage));
    for (const line of ['', ...coverageLines(coverage, shown)]) output.line(line);
  }
  if (request.junit) writeJunit(request.junit, end, directory);
  if (request.output) {
    const junit = junitXml(end, directory);
    await writeReport(reportedTest(end, began, directory), {
      folder: request.output,
      directory,
      junit,
      coverage: coverage?.percent,
      more: coverage && coverageSection(coverage, shown),
    });
    output.line(`Pages: ${shown(join(request.output, REPORT_FILES.index))}`);
  }
  annotate(annotationsOf(end), output, context);
  return { ...end, coverage };
}

/** Tests, and again whenever a bot, a scenario or a file that one of them imports is saved, until a signal comes. */
async function watchAndTest(
  request: TestRequest,
  config: Config,
  report: TestReport,
  context: CliContext,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const watch = new BotWatch();
  const staysAlive = setInterval(() => {}, 2 ** 30); // watching alone would not keep the process
  try {
    while (!signal.aborted) {
      const known = new Map<string, string | undefined>();
      for (const file of request.files)
        known.set(resolve(context.directory, file), contentOf(resolve(context.directory, file)));
      try {
        const scenarios = await read(request, context, output);
        const botFile = botFileOf(config, context.directory);
        for (const file of new Set(scenarios.flatMap((one) => [one.file, one.bot ?? botFile])))
          await noteFiles(file, known);
        await testOnce(scenarios, request, config, report, context, output, signal);
      } catch (error) {
        if (!(error instanceof ScenariosInvalid)) throw error;
        for (const { file } of error.problems) known.set(file, contentOf(file));
        output.warn(error.message);
      }
      if (signal.aborted) break;
      const changed = new Promise<string>((found) => watch.once('change', found));
      watch.follow(known);
      output.line('Waiting until a bot or a scenario is saved (Ctrl+C ends)');
      const stopped = new Promise<void>((done) => signal.addEventListener('abort', () => done(), { once: true }));
      await Promise.race([changed, stopped]);
    }
    signal.throwIfAborted();
  } finally {
    clearInterval(staysAlive);
    watch.close();
  }
}

/** A file, and those of the project that it imports. */
async function noteFiles(file: string, known: Map<string, string | undefined>): Promise<void> {
  known.set(file, contentOf(file));
  if (/\.ya?ml$/.test(file)) return;
  await prepareBot(file, { keepsJavaScript: true, read: known }).catch(() => {}); // told when it is tested
}
