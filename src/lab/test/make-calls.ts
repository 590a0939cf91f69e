import { severalAtOnce } from '../../base/async/several-at-once.js';
import { ClockLeader } from '../../base/clock/clock-leader.js';
import type { RunAtSpeed, ScenarioRun } from '../scenario/call-story.js';
import { preparedCalls } from './prepared-calls.js';
import { Stages, type StagesOptions } from './stages.js';
import type { PlannedScenario } from './test-outcome.js';

/** One call that is to be made. */
export interface PlannedCall {
  readonly planned: PlannedScenario;
  /** Of the run, from 1. */
  readonly no: number;
  /** All say tones in place of words. */
  readonly saysTones?: boolean;
  /** It was made with tones, which did not count. */
  readonly isSpokenAgain?: boolean;
  /** It was made at speed, which did not count. */
  readonly atSpeed?: RunAtSpeed;
}

/** Makes a call. @returns undefined when there was none, which is told already */
export type MakeCall = (call: PlannedCall, stages: Stages) => Promise<ScenarioRun | undefined>;

/** Makes calls, several at once, on stages of their own. Aborted, no more are begun. */
export async function makeCalls(
  calls: readonly PlannedCall[],
  options: StagesOptions,
  make: (call: PlannedCall, stages: Stages) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const stages = new Stages(options);
  for (const { planned } of calls) stages.announce(planned.scenario, planned.wire, 1);
  const turns = [...calls];
  try {
    await severalAtOnce(
      options.atOnce,
      () => nextOf(turns),
      (turn) => make(turn, stages),
      signal,
    );
  } finally {
    await stages.close();
  }
}

/** The first that need not wait for another call, else the first. */
function nextOf(turns: PlannedCall[]): PlannedCall | undefined {
  const free = turns.findIndex(({ planned }) => !preparedCalls.isTaken(planned.scenario));
  return turns.splice(Math.max(0, free), 1)[0];
}

/**
 * Makes calls while time goes faster: in this process, in the phone network's and in the bots'. What the machine has to work for does not,
 * so a call counts only when nothing in it was late, and all that must hold has held.
 * @param speed times that of a telephone, more than 1
 * @param counts is told of the calls that count
 * @returns the others, to be made again
 */
export async function makeCallsAtSpeed(
  calls: readonly PlannedCall[],
  speed: number,
  options: StagesOptions,
  { make, counts }: { readonly make: MakeCall; readonly counts: (call: PlannedCall, run: ScenarioRun) => void },
  signal: AbortSignal,
): Promise<PlannedCall[]> {
  const again: PlannedCall[] = [];
  const clock = ClockLeader.start(speed);
  try {
    const makeOne = async (call: PlannedCall, stages: Stages) => {
      const run = await make(call, stages);
      if (!run) return;
      const { failures, late } = run;
      if (failures.length === 0 && !late) counts(call, { ...run, speed });
      else again.push({ ...call, atSpeed: { speed, failures, late } });
    };
    await makeCalls(calls, { ...options, isAtSpeed: true }, makeOne, signal);
  } finally {
    clock.stop();
  }
  return again;
}

/**
 * Makes calls in which all say tones in place of words. One that fails may have failed for want of words: it does not count.
 * @param counts is told of the calls that count
 * @returns the others, to be made again with words
 */
export async function makeCallsInTones(
  calls: readonly PlannedCall[],
  options: StagesOptions,
  { make, counts }: { readonly make: MakeCall; readonly counts: (call: PlannedCall, run: ScenarioRun) => void },
  signal: AbortSignal,
): Promise<PlannedCall[]> {
  const again: PlannedCall[] = [];
  const makeOne = async (call: PlannedCall, stages: Stages) => {
    const inTones = { ...call, saysTones: true };
    const run = await make(inTones, stages);
    if (run && run.failures.length === 0) counts(inTones, run);
    else if (run) again.push({ ...call, isSpokenAgain: true });
  };
  await makeCalls(calls, { ...options, saysTones: true }, makeOne, signal);
  return again;
}
