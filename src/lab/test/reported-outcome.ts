import type { ReportedFailure, ReportedRun, ReportedScenario, ReportedTest } from '../report/reported-test.js';
import { type Failure, kindOf, type ScenarioRun } from '../scenario/call-story.js';
import type { ScenarioResult } from '../scenario/scenario-result.js';
import { expectedText, failuresIn, happenedText } from './failure-text.js';
import { shownPath, shownPlace } from './shown-path.js';
import { type NotRun, type ScenarioOnWire, type TestOutcome, titlesOf } from './test-outcome.js';

/**
 * What has come of a test, in words for its page: by file, in the order of the scenarios there.
 * @param at when it began, milliseconds since the Unix epoch @param directory from which the files are named
 */
export function reportedTest({ results, notRun }: TestOutcome, at: number, directory: string): ReportedTest {
  const titleOf = titlesOf([...results, ...notRun]);
  const inPlace = (one: ScenarioOnWire) => ({
    name: one.scenario.name,
    title: titleOf(one),
    file: shownPath(one.scenario.file, directory),
    place: shownPlace(one.scenario, directory),
    wire: one.wire,
  });
  const scenarios = [...results, ...notRun]
    .toSorted(byPlace)
    .map((one): ReportedScenario => ({ ...inPlace(one), ...('runs' in one ? resultParts(one) : notRunParts(one)) }));
  return { at, scenarios };
}

type Parts = Omit<ReportedScenario, 'name' | 'title' | 'file' | 'place' | 'wire'>;

const resultParts = (result: ScenarioResult): Parts => ({
  outcome: result.passed ? 'passed' : 'failed',
  kind: result.passed ? undefined : kindOf(failuresIn(result)),
  why: undefined,
  failures: result.failures.map(inFailure),
  answers: result.answers,
  runs: result.runs.map(inRun),
});

const notRunParts = ({ why }: NotRun): Parts => ({
  outcome: 'not_run',
  kind: 'never_started',
  why,
  failures: [],
  answers: undefined,
  runs: [],
});

const inRun = ({ no, callId, folder, startedAt, lengthMs, measures, lines, failures }: ScenarioRun): ReportedRun => ({
  no,
  callId,
  folder,
  startedAt,
  lengthMs,
  firstWordMs: measures.firstWordMs,
  lines,
  failures: failures.map(inFailure),
});

const inFailure = (failure: Failure): ReportedFailure => ({
  expected: failure.kind === 'broke' ? undefined : expectedText(failure),
  happened: happenedText(failure),
});

const byPlace = ({ scenario: a }: ScenarioOnWire, { scenario: b }: ScenarioOnWire): number =>
  a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : a.file < b.file ? -1 : 1;
