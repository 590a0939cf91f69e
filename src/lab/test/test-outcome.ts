import type { PlacedScenario } from '../scenario/placed-scenario.js';
import type { ScenarioResult, Wire } from '../scenario/scenario-result.js';
import type { RealTimeReason } from './speed.js';
import type { SpokenReason } from './text-only.js';

/** What is tested: a scenario, and whose wire its calls go over. */
export interface ScenarioOnWire {
  readonly scenario: PlacedScenario;
  readonly wire: Wire;
}

/** With how many calls. */
export interface PlannedScenario extends ScenarioOnWire {
  readonly runs: number;
  /** Why it is run in real time where others are not; undefined: as fast as was asked for. */
  readonly realTime?: RealTimeReason | undefined;
  /** Why it is spoken where others are not; undefined: as was asked for. */
  readonly spoken?: SpokenReason | undefined;
}

/** One that was not run to its end. */
export interface NotRun extends ScenarioOnWire {
  /** Why, for people: the bot does not load. */
  readonly why: string;
}

/** `never_started`: no call could be made, which is a failure; `bailed`: enough others had failed. */
export type NotRunKind = 'never_started' | 'bailed';

/** All that has come of a test. */
export interface TestOutcome {
  readonly results: readonly ScenarioResult[];
  /** No call could be made. */
  readonly notRun: readonly NotRun[];
  /** They were not begun, or not ended, since enough others had failed. */
  readonly bailed: readonly NotRun[];
  /** They say that they are not run; `why` is empty where they do not say why. */
  readonly skipped: readonly NotRun[];
}

/** Names each by its scenario, with the wire where a scenario runs on several. */
export function titlesOf(all: readonly ScenarioOnWire[]): (one: ScenarioOnWire) => string {
  const wires = new Map<PlacedScenario, Set<Wire>>();
  for (const { scenario, wire } of all) wires.set(scenario, (wires.get(scenario) ?? new Set()).add(wire));
  return ({ scenario, wire }) => ((wires.get(scenario)?.size ?? 0) > 1 ? `${scenario.name} (${wire})` : scenario.name);
}

/** What a list has by file, in the order of the first of each. */
export function byFile<T extends ScenarioOnWire>(all: readonly T[]): Map<string, T[]> {
  const files = new Map<string, T[]>();
  for (const one of all) files.set(one.scenario.file, [...(files.get(one.scenario.file) ?? []), one]);
  return files;
}
