import { TURN_STEPS, type TurnReport } from '../../call/turn-report.js';
import type { TurnTimes } from '../pipeline/frames/index.js';

/** What the times of a turn count from, in monotonic milliseconds; undefined for a turn in which nothing was asked of anybody. */
export const startOf = ({ callerStopped, modelRequested }: TurnTimes): number | undefined =>
  callerStopped ?? modelRequested;

/** Undefined for a turn in which nothing was asked of anybody. */
export function reportOf(turn: number, times: TurnTimes, wasInterrupted: boolean): TurnReport | undefined {
  const start = startOf(times);
  if (start === undefined) return undefined;
  const steps = TURN_STEPS.flatMap((step) => {
    const at = times[step];
    return at === undefined ? [] : [[`${step}Ms`, Math.round(Math.max(0, at - start) * 10) / 10]];
  });
  const since = times.callerStopped === undefined ? 'model_requested' : 'caller_stopped';
  return { turn, since, ...Object.fromEntries(steps), wasInterrupted };
}
