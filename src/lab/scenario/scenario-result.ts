import { medianOf } from '../../base/percentile.js';
import { inSeconds } from '../../call/view/events.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import type { Failure, ScenarioRun } from './call-story.js';
import type { PlacedScenario } from './placed-scenario.js';

/** Whose wire a call of a scenario goes over. */
export type Wire = CarrierName | 'rooms';

/** All runs of one scenario over one wire. */
export interface ScenarioResult {
  readonly scenario: PlacedScenario;
  readonly wire: Wire;
  readonly runs: readonly ScenarioRun[];
  readonly passed: boolean;
  /** What does not hold over all runs together. */
  readonly failures: readonly Failure[];
  /** Of how long the caller waited for an answer, in milliseconds; undefined when there was none. */
  readonly answers: { readonly medianMs: number; readonly worstMs: number } | undefined;
}

/** Whether the runs together are what the scenario wants. */
export function resultOf(scenario: PlacedScenario, wire: Wire, runs: readonly ScenarioRun[]): ScenarioResult {
  const answers = answersOf(runs);
  const passing = runs.filter(({ failures }) => failures.length === 0).length;
  const isOften = runs.length > 0 && passing / runs.length >= scenario.passRate;
  // A bot that has failed otherwise each time has answered nothing for that reason.
  const failures = passing === 0 && !answers && runs.length > 0 ? [] : lateAnswers(scenario.expect, answers);
  if (!isOften && passing > 0) {
    const share = (part: number) => `${(100 * part).toFixed(0)}%`;
    failures.unshift({
      field: 'passRate',
      expected: share(scenario.passRate),
      happened: `${passing} of ${runs.length} runs passed (${share(passing / runs.length)})`,
    });
  }
  return { scenario, wire, runs, answers, failures, passed: isOften && failures.length === 0 };
}

/** How long callers waited for answers. */
export function answersOf(runs: ReadonlyArray<Pick<ScenarioRun, 'measures'>>): ScenarioResult['answers'] {
  const waits = runs.flatMap(({ measures }) => measures.answersMs);
  const medianMs = medianOf(waits);
  return medianMs === undefined ? undefined : { medianMs, worstMs: Math.max(...waits) };
}

/** Answers that came later than they may. */
export function lateAnswers(
  { answerWithin }: Pick<PlacedScenario['expect'], 'answerWithin'>,
  answers: ScenarioResult['answers'],
): Failure[] {
  if (!answerWithin) return [];
  if (!answers)
    return [
      { field: 'answerWithin', expected: 'an answer', happened: 'the bot answered nothing that the caller said' },
    ];
  const { median, worst } = answerWithin;
  const late = (name: string, limit: number | undefined, ms: number): Failure[] =>
    limit === undefined || ms <= limit
      ? []
      : [{ field: 'answerWithin', expected: `${name} ${inSeconds(limit)}`, happened: `${name} ${inSeconds(ms)}` }];
  return [...late('median', median, answers.medianMs), ...late('worst', worst, answers.worstMs)];
}
