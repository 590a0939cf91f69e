import { mutationOf, noteMutation } from '../../call/mutation.js';
import type { CallTimeline } from '../../call/timeline.js';
import type { AcceptedTransferOutcome } from '../../call/transfer-outcome.js';

/** Where a transfer goes: to a number of its own where a test breaks the bot so. */
export function mutatedTarget(to: string, timeline: CallTimeline | undefined): string {
  const mutation = mutationOf('transfer_elsewhere');
  if (!mutation) return to;
  noteMutation(timeline, mutation);
  return mutation.to;
}

/**
 * What becomes of a transfer that a test lets fail: no number is dialled. Undefined where it is to be carried out.
 * @param announce resolves when the caller has heard what is said before it
 */
export function mutatedOutcome(
  announce: () => Promise<void>,
  timeline: CallTimeline | undefined,
): Promise<AcceptedTransferOutcome> | undefined {
  const mutation = mutationOf('transfer_fails');
  if (!mutation) return undefined;
  noteMutation(timeline, mutation);
  return announce().then(() => ({ status: mutation.status, detail: 'no number was dialled: a test breaks the bot' }));
}
