import { firstFew } from '../../base/names/name-list.js';
import { inSeconds } from '../../call/view/events.js';
import type { Failure, ScenarioRun } from '../scenario/call-story.js';
import type { ScenarioResult } from '../scenario/scenario-result.js';

/** Runs are named up to here. */
const MOST_RUNS = 10;

/** `heard: "closed on Sunday"` */
export const expectedText = ({ field, expected }: Failure): string => `${field}: ${expected}`;

/** `at 12.34 s: the caller heard nothing` */
export const happenedText = ({ happened, atMs }: Failure): string =>
  atMs === undefined ? happened : `at ${inSeconds(atMs)}: ${happened}`;

/** All that does not hold, that of all runs together first. An expectation is in it once, from the first run that missed it. */
export function failuresIn(result: ScenarioResult): Failure[] {
  return [...result.failures, ...firstMisses(result).flatMap(({ failures }) => failures.map(({ failure }) => failure))];
}

/**
 * What a person is told of a result that has not passed: each expectation beside what happened, and where to listen to it. An
 * expectation that several runs missed is told of the first of them.
 */
export function failureLines(result: ScenarioResult): string[] {
  const hasRuns = result.runs.length > 1;
  return [
    ...result.failures.flatMap((failure) => comparison(failure, '')),
    ...firstMisses(result).flatMap(({ run, failures }) => [
      ...(hasRuns ? [`in run ${run.no} of ${result.runs.length}`] : []),
      ...failures.flatMap(({ failure, others }) => comparison(failure, others)),
      ...callLines(run),
    ]),
  ];
}

/** All that did not hold in every run, for a file: what failed in the first run may not be what failed in the second. */
export function allFailureLines(result: ScenarioResult): string[] {
  const failed = result.runs.filter(({ failures }) => failures.length > 0);
  return [
    ...result.failures.flatMap((failure) => comparison(failure, '')),
    ...failed
      .slice(0, MOST_RUNS)
      .flatMap((run) => [
        ...(result.runs.length > 1 ? [`in run ${run.no} of ${result.runs.length}`] : []),
        ...run.failures.flatMap((failure) => comparison(failure, '')),
        ...callLines(run),
      ]),
    ...(failed.length > MOST_RUNS ? [`and ${failed.length - MOST_RUNS} more runs failed`] : []),
  ];
}

/** What came before it, and where to listen to it. */
const callLines = (run: ScenarioRun): string[] => [
  ...run.lines.map((text, at) => `${at === 0 ? 'call      ' : '          '}${text}`),
  ...(run.folder === undefined ? [] : [`folder    ${run.folder}`]),
  ...(run.callId === undefined ? [] : [`open      npx voicebot calls ${run.callId} --open`]),
];

function comparison(failure: Failure, others: string): string[] {
  const happened = `${happenedText(failure)}${others}`;
  if (failure.kind === 'broke') return [`broke     ${happened}`];
  return [`expected  ${expectedText(failure)}`, `happened  ${happened}`];
}

interface Misses {
  readonly run: ScenarioRun;
  /** With the other runs that missed the same, in words. */
  readonly failures: ReadonlyArray<{ readonly failure: Failure; readonly others: string }>;
}

function firstMisses({ runs }: ScenarioResult): Misses[] {
  const missedBy = new Map<string, number[]>();
  for (const { no, failures } of runs)
    for (const words of new Set(failures.map(expectedText))) missedBy.set(words, [...(missedBy.get(words) ?? []), no]);
  return runs.flatMap((run) => {
    const failures = run.failures.flatMap((failure) => {
      const [first, ...others] = missedBy.get(expectedText(failure)) ?? [];
      return first === run.no ? [{ failure, others: othersWords(others) }] : [];
    });
    return failures.length === 0 ? [] : [{ run, failures }];
  });
}

function othersWords(runs: readonly number[]): string {
  if (runs.length === 0) return '';
  return ` (missed in ${runs.length === 1 ? 'run' : 'runs'} ${firstFew(runs, MOST_RUNS)} too)`;
}
