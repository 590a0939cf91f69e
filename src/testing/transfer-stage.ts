import { randomUUID } from 'node:crypto';
import type { LinkedOutcome, TransferFailure } from '../call/call-link.js';
import { VoicebotError } from '../errors.js';

/** What becomes of a transfer to `to` (E.164). A throw refuses it. */
export type DecideTransfer = (to: string) => 'answered' | TransferFailure;

/** A transfer that was granted, and what becomes of it. */
export type StagedOutcome =
  | Extract<LinkedOutcome, { status: 'answered' }>
  | { readonly status: TransferFailure; readonly detail: string };

/** The destination of a bot's transfers in a test, in place of a carrier that dials it. */
export class TransferStage {
  #granted: StagedOutcome | undefined;

  constructor(private readonly decide: DecideTransfer = refuse) {}

  /**
   * The bot asks for a transfer, which takes place when its stream has ended.
   * @throws VoicebotError when it is refused: what `decide` has thrown, or VB_TRANSFER_FAILED with its words
   */
  request(to: string): void {
    const status = this.#decideOn(to);
    this.#granted =
      status === 'answered' ? { status, to, legId: randomUUID() } : { status, detail: `staged: ${status}` };
  }

  /** The bot's stream has ended: gives what becomes of the transfer that was granted, once. */
  take(): StagedOutcome | undefined {
    const granted = this.#granted;
    this.#granted = undefined;
    return granted;
  }

  #decideOn(to: string): ReturnType<DecideTransfer> {
    try {
      return this.decide(to);
    } catch (thrown) {
      if (thrown instanceof VoicebotError) throw thrown;
      throw new VoicebotError('VB_TRANSFER_FAILED', thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
}

function refuse(): never {
  throw new VoicebotError('VB_TRANSFER_FAILED', 'no runner serves this call', {
    hint: 'give FakePhone `transfer`, which says what becomes of it',
  });
}
