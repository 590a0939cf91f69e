import type { CallTimeline } from '../../call/timeline.js';
import { type TransferOutcome, transferRefusal } from '../../call/transfer-outcome.js';

/** Notes in the call's timeline that a transfer is wanted, and what became of it. Settles as `transfer` does. @param isWarm default: it is a cold one */
export async function notedTransfer<Outcome extends TransferOutcome>(
  timeline: CallTimeline | undefined,
  to: string,
  transfer: Promise<Outcome>,
  isWarm?: true,
): Promise<Outcome> {
  const about = { to, ...(isWarm && { isWarm }) };
  timeline?.note({ type: 'transfer_asked', ...about });
  const note = (outcome: { readonly status: TransferOutcome['status']; readonly detail?: string }) => {
    const { status, detail } = outcome;
    timeline?.note({ type: 'transfer_over', ...about, status, ...(detail !== undefined && { detail }) });
  };
  try {
    const outcome = await transfer;
    note(outcome);
    return outcome;
  } catch (error) {
    note(transferRefusal(error));
    throw error;
  }
}
