import type { TimelineEvent } from '../timeline.js';

/** So long after the caller's last sound nothing more is to be expected, in milliseconds. */
const PATIENCE_MS = 1_500;

/** Whether the caller has spoken a while ago, and no ears have understood it. */
export function isUnheard(events: readonly TimelineEvent[], now: number): boolean {
  const stopped = events.findLast((event) => event.type === 'speech_stopped' && event.speaker === 'caller');
  if (!stopped || now - stopped.at < PATIENCE_MS) return false;
  const began = events.findLast(
    (event) => event.type === 'speech_started' && event.speaker === 'caller' && event.at <= stopped.at,
  );
  return !events.some(
    (event) => event.type === 'said' && event.speaker === 'caller' && event.at >= (began ?? stopped).at,
  );
}
