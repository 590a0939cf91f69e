import { type CallerStep, leafSteps } from '../scenario/caller-steps.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import type { Wire } from '../scenario/scenario-result.js';
import { realTimeReason } from './speed.js';

/** Why a scenario is spoken where of others only the wording is tested. */
export type SpokenReason = ReturnType<typeof realTimeReason> | 'sounds' | 'words that are talked over';

/** Why the wording of a scenario cannot be tested without speech; undefined: it can. */
export function spokenReason(scenario: PlacedScenario, wire: Wire): SpokenReason {
  const reason = realTimeReason({ ...scenario, realTime: false }, wire);
  if (reason) return reason;
  const calls = [scenario, ...scenario.then];
  const steps = calls.flatMap(({ caller }) => (Array.isArray(caller) ? leafSteps(caller) : []));
  if (steps.some(({ kind }) => kind === 'play') || calls.some(({ expect }) => expect.sound.length > 0)) return 'sounds';
  const isTimed = (step: CallerStep) => ('during' in step && step.during) || ('talkOver' in step && step.talkOver);
  return steps.some(isTimed) ? 'words that are talked over' : undefined;
}

/** What is looked at of the scenarios of a test. */
type Plan = ReadonlyArray<{ readonly spoken?: SpokenReason | undefined }>;

/** `wording alone; 3 scenarios are spoken: sounds 1, faults 2` */
export function textOnlyWords(plan: Plan): string {
  const counts = Object.entries(spokenOf(plan));
  const spoken = counts.reduce((sum, [, count]) => sum + count, 0);
  const why = counts.map(([reason, count]) => `${reason} ${count}`).join(', ');
  return `wording alone${spoken === 0 ? '' : `; ${spoken} ${spoken === 1 ? 'scenario is' : 'scenarios are'} spoken: ${why}`}`;
}

/** How many scenarios are spoken, by why. */
export function spokenOf(plan: Plan): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { spoken } of plan) if (spoken) counts[spoken] = (counts[spoken] ?? 0) + 1;
  return counts;
}
