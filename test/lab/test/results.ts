import type { Failure, ScenarioRun } from '../../../src/lab/scenario/call-story.js';
import { type PlacedScenario, placeScenario } from '../../../src/lab/scenario/placed-scenario.js';
import type { ScenarioOptions } from '../../../src/lab/scenario/scenario-options.js';

export const DIRECTORY = '/home/ada/bakery';

/** A scenario of `scenarios/<file>`, line 12. */
export function scenarioOf(options: ScenarioOptions, file = 'bakery.yaml'): PlacedScenario {
  const placed = placeScenario(options, `${DIRECTORY}/scenarios/${file}`, () => 12);
  if (Array.isArray(placed)) throw new Error(JSON.stringify(placed));
  return placed;
}

/** A run of 8 seconds that has passed, unless there are failures. */
export const runOf = (change: Partial<ScenarioRun> = {}): ScenarioRun => ({
  no: 1,
  callId: 'c-1',
  folder: '/home/ada/.voicebot/calls/c-1',
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  lengthMs: 8_000,
  measures: { firstWordMs: 300, answersMs: [400], silence: { ms: 900, atMs: 2_000 } },
  events: [],
  receivedKeys: '',
  lines: [],
  failures: [],
  ...change,
});

export const CLOSED: Failure = {
  field: 'heard',
  expected: '"closed"',
  happened: 'the caller heard "We are open."',
  atMs: 2_340,
};
