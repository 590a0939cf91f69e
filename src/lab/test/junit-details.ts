import { allOf } from '../../call/view/events.js';
import { kindOf } from '../scenario/call-story.js';
import type { ScenarioResult } from '../scenario/scenario-result.js';
import { failuresIn } from './failure-text.js';

/** Lines of a bot's output that a case has, of all its runs: the last ones of each run. */
const MOST_LINES = 500;

/** What build servers show beside a case: whose wire, how many runs, and what they have measured. Times are milliseconds. */
export function propertiesOf(result: ScenarioResult): Array<[name: string, value: string]> {
  const { scenario, wire, runs, answers, passed } = result;
  const kind = passed ? undefined : kindOf(failuresIn(result));
  const { tags = [] } = scenario as { readonly tags?: readonly string[] };
  return [
    ['wire', wire],
    ['runs', String(runs.length)],
    ['passedRuns', String(runs.filter(({ failures }) => failures.length === 0).length)],
    ['lengthMs', String(Math.round(runs.reduce((sum, { lengthMs }) => sum + lengthMs, 0)))],
    ...(answers ? [['answersMedianMs', String(Math.round(answers.medianMs))] as [string, string]] : []),
    ...(answers ? [['answersWorstMs', String(Math.round(answers.worstMs))] as [string, string]] : []),
    ...(kind ? [['kind', kind] as [string, string]] : []),
    ...tags.map((tag): [string, string] => ['tag', tag]),
    ...runs.flatMap(({ folder }) => (folder === undefined ? [] : [['folder', folder] as [string, string]])),
  ];
}

/** What the bots of a scenario have written, a line each; of several runs with the run above. */
export function outputOf({ runs }: ScenarioResult): string[] {
  const most = Math.ceil(MOST_LINES / Math.max(1, runs.length));
  return runs.flatMap(({ no, events }) => {
    const lines = allOf(events, 'output').map(({ line }) => line);
    if (lines.length === 0) return [];
    const left = lines.length - most;
    return [
      ...(runs.length > 1 ? [`run ${no}:`] : []),
      ...(left > 0 ? [`(${left} lines before)`] : []),
      ...lines.slice(-most),
    ];
  });
}
