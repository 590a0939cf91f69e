import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, VoicebotError } from '../base/errors.js';
import type { CallRecord } from '../call/call-record.js';
import type { RunnerClient } from './runner-client.js';

export interface FollowTiming {
  /** From one look to the next, in milliseconds. */
  pollMs: number;
  /** How long the runner may be out of reach, in milliseconds. */
  lostMs: number;
  /** How long any call may take, in milliseconds. */
  limitMs: number;
}

/** The longest ringing, the longest call that can be set, and some time to end it. */
const LONGEST_CALL_MS = (120 + 86_400 + 60) * 1_000;
/** A runner that answers late may answer the next time, as one that is not there may be back. */
const OUT_OF_REACH: readonly ErrorCode[] = ['VB_RUNNER_NOT_FOUND', 'VB_DEADLINE_EXCEEDED'];
const TIMING: FollowTiming = { pollMs: 250, lostMs: 5_000, limitMs: LONGEST_CALL_MS };

/**
 * Looks at a call until it has ended.
 * @param onChange gets the record as it was found first and whenever it has changed, the ended one included
 * @returns the ended record
 * @throws VoicebotError VB_CALL_FAILED when the runner has forgotten the call, VB_RUNNER_NOT_FOUND when it went away,
 *   VB_DEADLINE_EXCEEDED, VB_UNAUTHORISED; AbortError
 */
export async function followCall(
  runner: Pick<RunnerClient, 'call' | 'url'>,
  callId: string,
  onChange: (call: CallRecord) => void,
  signal: AbortSignal,
  timing: FollowTiming = TIMING,
): Promise<CallRecord> {
  const giveUpAt = performance.now() + timing.limitMs;
  let reachedAt = performance.now();
  let last: CallRecord | undefined;
  while (performance.now() < giveUpAt) {
    const call = await runner.call(callId).catch((error: unknown) => {
      const isOutOfReach = error instanceof VoicebotError && OUT_OF_REACH.includes(error.code);
      if (!isOutOfReach) throw error;
      if (performance.now() - reachedAt >= timing.lostMs) throw wentAway(callId, last, error);
      return 'out of reach' as const;
    });
    signal.throwIfAborted();
    if (call === undefined) {
      throw new VoicebotError('VB_CALL_FAILED', `the runner at ${runner.url} no longer knows it`, {
        hint: 'Was the runner restarted? See what it knows: npx voicebot calls',
      });
    }
    if (call !== 'out of reach') {
      reachedAt = performance.now();
      if (JSON.stringify(call) !== JSON.stringify(last)) onChange(call);
      if (call.state === 'ended') return call;
      last = call;
    }
    await delay(timing.pollMs, undefined, { signal });
  }
  throw new VoicebotError('VB_DEADLINE_EXCEEDED', `call ${callId} has not ended in a day`);
}

/** A runner that ends its calls says so before it goes; one that dies takes none with it. */
function wentAway(callId: string, last: CallRecord | undefined, cause: unknown): VoicebotError {
  const state = last?.state ?? 'dialling';
  return new VoicebotError(
    'VB_RUNNER_NOT_FOUND',
    `the runner went away while call ${callId} was ${state}; on a real carrier it may go on`,
    { hint: "Look among the carrier's calls before you dial again.", cause },
  );
}
