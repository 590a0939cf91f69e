import { inSeconds } from '../../call/view/events.js';
import type { Lateness, RunAtSpeed, ScenarioRun } from '../scenario/call-story.js';
import { expectedText, happenedText } from './failure-text.js';
import type { RealTimeReason } from './speed.js';
import type { PlannedScenario } from './test-outcome.js';

/** A call, with the name of its scenario. */
interface TitledRun {
  readonly title: string;
  readonly run: ScenarioRun;
}

/** How many scenarios are run in real time, by why. */
export function realTimeOf(plan: readonly PlannedScenario[]): Partial<Record<RealTimeReason, number>> {
  const counts: Partial<Record<RealTimeReason, number>> = {};
  for (const { realTime } of plan) if (realTime) counts[realTime] = (counts[realTime] ?? 0) + 1;
  return counts;
}

/** `4 times as fast; 3 scenarios in real time: rooms 1, faults 2` */
export function speedWords(speed: number, plan: readonly PlannedScenario[]): string {
  const counts = Object.entries(realTimeOf(plan));
  const slow = counts.reduce((sum, [, count]) => sum + count, 0);
  const why = counts.map(([reason, count]) => `${reason} ${count}`).join(', ');
  return `${speed} times as fast${slow === 0 ? '' : `; ${scenarios(slow)} in real time: ${why}`}`;
}

/** For programs: how many calls were made again in real time, by why. */
export function repeatedFields(speed: number | undefined, runs: readonly TitledRun[]) {
  if (speed === undefined) return {};
  const before = runs.flatMap(({ run }) => run.atSpeed ?? []);
  const late = before.filter((one) => one.late).length;
  return { speed, repeated: { late, failed: before.length - late } };
}

/** The same for people; and every call of which real time has told something else. */
export function repeatedLines(runs: readonly TitledRun[]): string[] {
  const repeated = runs.flatMap(({ title, run }) => (run.atSpeed ? [{ title, run, before: run.atSpeed }] : []));
  if (repeated.length === 0) return [];
  const late = repeated.flatMap(({ before }) => before.late ?? []);
  const failed = repeated.length - late.length;
  const why = [
    ...(late.length > 0 ? [`the machine was late in ${late.length} (${lateWords(late)})`] : []),
    ...(failed > 0 ? [`${failed} failed at speed`] : []),
  ];
  return [
    '',
    `${repeated.length} ${repeated.length === 1 ? 'call' : 'calls'} made again in real time: ${why.join(', ')}`,
    ...repeated.flatMap(({ title, run, before }) =>
      run.failures.length === 0 && !before.late ? differenceLines(title, before) : [],
    ),
  ];
}

const differenceLines = (title: string, { speed, failures }: RunAtSpeed): string[] => [
  `! ${title}: failed ${speed} times as fast, and passed in real time`,
  ...failures.flatMap((failure) => [
    `      expected  ${expectedText(failure)}`,
    `      happened  ${happenedText(failure)}`,
  ]),
];

/** The worst of each kind: `answers up to 3.42 s` */
function lateWords(late: readonly Lateness[]): string {
  const kinds = { line: 'audio up to', speech: 'speech up to', answer: 'answers up to' } as const;
  return Object.entries(kinds)
    .flatMap(([kind, words]) => {
      const worstMs = Math.max(0, ...late.flatMap(({ of, ms }) => (of === kind ? ms : [])));
      return worstMs === 0 ? [] : [`${words} ${inSeconds(worstMs)}`];
    })
    .join(', ');
}

const scenarios = (count: number) => `${count} ${count === 1 ? 'scenario' : 'scenarios'}`;
