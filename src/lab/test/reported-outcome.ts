import type { ReportedFailure, ReportedRun, ReportedScenario, ReportedTest } from '../report/reported-test.js';
import { type Failure, kindOf, type ScenarioRun } from '../scenario/call-story.js';
import type { ScenarioResult } from '../scenario/scenario-result.js';
import { expectedText, failuresIn, happenedText } from './failure-text.js';
import { shownPath, shownPlace } from './shown-path.js';
import { type ScenarioOnWire, type TestOutcome, titlesOf } from './test-outcome.js';

/**
 * What has come of a test, in words for its page: by file, in the order of the scenarios there.
 * @param at when it began, milliseconds since the Unix epoch @param directory from which the files are named
 */
export function reportedTest(
  { results, notRun, bailed, skipped }: TestOutcome,
  at: number,
  directory: string,
): ReportedTest {
  const titleOf = titlesOf([...results, ...notRun, ...bailed, ...skipped]);
  const inPlace = (one: ScenarioOnWire) => ({
    name: one.scenario.name,
    title: titleOf(one),
    file: shownPath(one.scenario.file, directory),
    place: shownPlace(one.scenario, directory),
    wire: one.wire,
  });
  const parts: Array<readonly [ScenarioOnWire, Parts]> = [
    ...results.map((one) => [one, resultParts(one)] as const),
    ...notRun.map((one) => [one, withoutRuns('not_run', one.why, 'never_started')] as const),
    ...bailed.map((one) => [one, withoutRuns('not_run', one.why)] as const),
    ...skipped.map((one) => [one, withoutRuns('skipped', one.why)] as const),
  ];
  const inOrder = parts.toSorted(([a], [b]) => byPlace(a, b));
  return { at, scenarios: inOrder.map(([one, more]) => ({ ...inPlace(one), ...more })) };
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

const withoutRuns = (outcome: 'not_run' | 'skipped', why: string, kind?: 'never_started'): Parts => ({
  outcome,
  kind,
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
