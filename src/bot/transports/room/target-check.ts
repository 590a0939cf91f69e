import { withDeadline } from '../../../base/async/deadline.js';
import { VoicebotError } from '../../../base/errors.js';
import type { RoomRunnerLink } from '../../../call/runner-link.js';

/** Longest wait for the runner to say whether a number may be called, in milliseconds. */
const CHECK_LIMIT_MS = 10_000;

/** @returns the number as it is to be called. @throws as {@link RoomRunnerLink.checkTarget}, and VB_DEADLINE_EXCEEDED */
export async function checkTarget(link: RoomRunnerLink | undefined, to: string): Promise<string> {
  if (!link) return to;
  const late = () =>
    new VoicebotError('VB_DEADLINE_EXCEEDED', 'the runner has not said whether the number may be called');
  return withDeadline(link.checkTarget(to), CHECK_LIMIT_MS, late);
}
