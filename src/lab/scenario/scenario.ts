import type { ScenarioOptions } from './scenario-options.js';

/** Registered: the file of a scenario may import another copy of this package than the one that reads it. */
const SCENARIO = Symbol.for('voicebot.scenario');

/** A scenario as its file gives it, not checked. */
export interface Scenario {
  readonly options: ScenarioOptions;
  /** Where it stands in its file, as far as the stack tells. */
  readonly line: number | undefined;
}

/**
 * Describes a call that `voicebot test` makes. Export it, or a list of several, from a file whose name ends in `.scenario.ts`.
 *
 * ```ts
 * export default scenario({
 *   name: 'tells when the bakery is open',
 *   caller: [{ say: 'When are you open on Sunday?' }],
 *   expect: { heard: 'closed', tools: [{ name: 'opening_hours', input: { day: 'Sunday' } }] },
 * });
 * ```
 *
 * What is wrong with it, `voicebot test` tells, with the line.
 */
export function scenario(options: ScenarioOptions): Scenario {
  const caller = new Error().stack?.split('\n')[2] ?? '';
  const line = /:(\d+):\d+\)?$/.exec(caller)?.[1];
  return { options, line: line === undefined ? undefined : Number(line), [SCENARIO]: true } as Scenario;
}

/** Whether a value was made by {@link scenario}. */
export const isScenario = (value: unknown): value is Scenario => Object(value)[SCENARIO] === true;
