import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';
import type { ScenarioProblem } from '../scenario/placed-scenario.js';
import { failureLines } from './failure-text.js';
import { problemWords } from './scenarios-invalid.js';
import { shownPath } from './shown-path.js';
import { type TestOutcome, titlesOf } from './test-outcome.js';

/** What GitHub shows beside a line of a file. */
export interface Annotation {
  /** Absolute path; undefined: of the whole job. */
  readonly file?: string;
  readonly line?: number | undefined;
  readonly title: string;
  readonly message: string;
}

/** One for each scenario that has failed, with all that did not hold, and one for each reason why some were not run: GitHub shows ten of a step. */
export function annotationsOf({ results, notRun }: Pick<TestOutcome, 'results' | 'notRun'>): Annotation[] {
  const titleOf = titlesOf([...results, ...notRun]);
  const failed = results.filter(({ passed }) => !passed);
  const reasons = [...new Set(notRun.map(({ why }) => why))];
  return [
    ...failed.map((result) => ({
      file: result.scenario.file,
      line: result.scenario.line,
      title: titleOf(result),
      message: failureLines(result).join('\n'),
    })),
    ...reasons.map((why) => ({
      title: `Not run: ${notRun.filter((one) => one.why === why).length}`,
      message: why,
    })),
  ];
}

/** One for each problem. */
export const annotationsOfProblems = (problems: readonly ScenarioProblem[]): Annotation[] =>
  problems.map((problem) => ({
    file: problem.file,
    line: problem.line,
    title: 'A scenario is not valid',
    message: problemWords(problem),
  }));

/**
 * Writes annotations to standard output, where GitHub Actions looks for them; nothing elsewhere, nor in machine mode.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions#setting-an-error-message
 */
export function annotate(
  annotations: readonly Annotation[],
  output: Output,
  { environment, directory }: Pick<CliContext, 'environment' | 'directory'>,
): void {
  if (environment.GITHUB_ACTIONS !== 'true') return;
  const root = environment.GITHUB_WORKSPACE || directory;
  for (const { file, line, title, message } of annotations) {
    const properties = [
      ...(file === undefined ? [] : [`file=${property(shownPath(file, root))}`]),
      ...(line === undefined ? [] : [`line=${line}`]),
      `title=${property(title)}`,
    ];
    output.result(`::error ${properties.join(',')}::${data(message)}`);
  }
}

const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
