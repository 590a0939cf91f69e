import { TALK_FIGURES } from '../../call/view/talk-figures.js';
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
const TIMES = [
  'firstWordWithin',
  'answerWithin',
  'stopsWithin',
  'silentAtMost',
  'endsWithin',
  ...TALK_FIGURES,
] as const;

/**
 * Why a scenario has to be run in real time: one takes part in it whose clock does not go faster, or it is about what the machine's work
 * takes. Undefined: it need not.
 */
export function realTimeReason(scenario: PlacedScenario, wire: Wire): RealTimeReason | undefined {
  if (scenario.realTime) return 'realTime: true';
  if (wire === 'rooms') return 'rooms';
  if (scenario.services === 'real') return 'real services';
  const calls = [scenario, ...scenario.then];
  if (calls.some(({ caller, expect }) => !Array.isArray(caller) || expect.judge)) return 'models that play or judge';
  if (calls.some(({ expect }) => TIMES.some((field) => expect[field] !== undefined))) return 'times that must hold';
  if (calls.some(({ network }) => network)) return 'network';
  return calls.some(({ faults }) => faults.length > 0) ? 'faults' : undefined;
}
