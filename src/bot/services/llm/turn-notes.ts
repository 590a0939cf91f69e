import { type CallTimeline, epochOf } from '../../../call/timeline.js';
import type { Turn } from '../../pipeline/frames/index.js';

/** Notes that the bot begins to work on a turn. When one that was asked early is released, more is known of when the caller finished. */
export function noteBeginning(turn: Turn, timeline: CallTimeline | undefined): void {
  const note = () => timeline?.note({ type: 'turn_started', turn: turn.id, ...beginningOf(turn) });
  if (turn.isReleased) note();
  else void turn.decided.then((isWanted) => isWanted && note());
}

function beginningOf({ times: { callerStopped, finalTranscript } }: Turn) {
  if (callerStopped === undefined) return {};
  const startedAt = epochOf(callerStopped);
  return finalTranscript === undefined
    ? { startedAt }
    : { startedAt, finalTranscriptMs: Math.max(0, finalTranscript - callerStopped) };
}
