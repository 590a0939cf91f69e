import { join } from 'node:path';
import { botFileOf } from '../../assembly/create-runner.js';
import type { Config } from '../../config/config.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import type { TestCoverage } from '../coverage/coverage.js';
import { coverageEvent, coverageLines } from '../coverage/coverage-lines.js';
import { coverageSection } from '../coverage/coverage-section.js';
import { REPORT_FILES } from '../report/report-folder.js';
import { writeReport } from '../report/write-report.js';
import { annotate, annotationsOf } from './github-annotations.js';
import { junitXml, writeJunit } from './junit.js';
import { reportedTest } from './reported-outcome.js';
import { shownPath } from './shown-path.js';
import type { TestOutcome } from './test-outcome.js';

/** What is made of the results beside what the terminal shows. */
export interface ResultWishes {
  /** Absolute path. */
  readonly junit: string | undefined;
  /** Absolute path of the folder that gets the pages of the test. */
  readonly output: string | undefined;
  /** Tell what of the bots no scenario touches. */
  readonly tellsCoverage: boolean;
}

/** Tells what the scenarios have touched, and writes JUnit, pages and annotations, as they are wished. @param beganAt milliseconds since the Unix epoch */
export async function writeResults(
  outcome: TestOutcome,
  beganAt: number,
  wishes: ResultWishes,
  { config, context, output }: { readonly config: Config; readonly context: CliContext; readonly output: Output },
): Promise<TestCoverage | undefined> {
  const { directory } = context;
  const shown = (file: string) => shownPath(file, directory);
  const coverage = wishes.tellsCoverage ? await coverageOf(outcome, botFileOf(config, directory)) : undefined;
  if (coverage) {
    output.event('coverage', coverageEvent(coverage));
    for (const line of ['', ...coverageLines(coverage, shown)]) output.line(line);
  }
  if (wishes.junit) writeJunit(wishes.junit, outcome, directory);
  if (wishes.output) {
    await writeReport(reportedTest(outcome, beganAt, directory), {
      folder: wishes.output,
      directory,
      junit: junitXml(outcome, directory),
      coverage: coverage?.percent,
      more: coverage && coverageSection(coverage, shown),
    });
    output.line(`Pages: ${shown(join(wishes.output, REPORT_FILES.index))}`);
  }
  annotate(annotationsOf(outcome), output, context);
  return coverage;
}

/** Only who asks for it waits for the parser to load. */
async function coverageOf(outcome: TestOutcome, botFile: string): Promise<TestCoverage> {
  const { testedCoverage } = await import('./tested-coverage.js');
  return testedCoverage(outcome, botFile);
}
