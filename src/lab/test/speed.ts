import type { PlacedScenario } from '../scenario/placed-scenario.js';
import type { Wire } from '../scenario/scenario-result.js';

/** Why a scenario is run in real time where others are not. */
export type RealTimeReason =
  | 'realTime: true'
  | 'rooms'
  | 'real services'
  | 'models that play or judge'
  | 'times that must hold'
  | 'network'
  | 'faults';

/** They compare times, which the work of the machine is a part of. */
const TIMES = ['firstWordWithin', 'answerWithin', 'stopsWithin', 'silentAtMost', 'endsWithin'] as const;

/**
 * Why a scenario has to be run in real time: one takes part in it whose clock does not go faster, or it is about what the machine's work
 * takes. Undefined: it need not.
 */
export function realTimeReason(scenario: PlacedScenario, wire: Wire): RealTimeReason | undefined {
  const { realTime, services, caller, expect, network, faults } = scenario;
  if (realTime) return 'realTime: true';
  if (wire === 'rooms') return 'rooms';
  if (services === 'real') return 'real services';
  if (!Array.isArray(caller) || expect.judge) return 'models that play or judge';
  if (TIMES.some((field) => expect[field] !== undefined)) return 'times that must hold';
  if (network) return 'network';
  return faults.length > 0 ? 'faults' : undefined;
}
