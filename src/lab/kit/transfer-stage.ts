import { randomUUID } from 'node:crypto';
import { errorText } from '../../base/error-text.js';
import { VoicebotError } from '../../base/errors.js';
import type { AcceptedTransferOutcome, TransferFailure } from '../../call/transfer-outcome.js';

/** What becomes of a transfer to `to` (E.164). A throw refuses it. */
export type DecideTransfer = (to: string) => 'answered' | TransferFailure;

type Granted = Exclude<AcceptedTransferOutcome, { status: 'caller_left' }>;

/** The destination of a bot's transfers in a test, in place of a carrier that dials it. */
export class TransferStage {
  #granted: Granted | undefined;

  constructor(private readonly decide: DecideTransfer = refuse) {}

  /**
   * The bot asks for a transfer, which takes place when its stream has ended.
   * @throws VoicebotError when it is refused: what `decide` has thrown, or VB_TRANSFER_FAILED with its words
   */
  request(to: string): void {
    const status = this.decideOn(to);
    this.#granted =
      status === 'answered'
        ? { status, data: { toEndPoint: to, sessionId: randomUUID() } }
        : { status, detail: `staged: ${status}` };
  }

  /** The bot's stream has ended: gives what becomes of the transfer that was granted, once. */
  take(): Granted | undefined {
    const granted = this.#granted;
    this.#granted = undefined;
    return granted;
  }

  /** What becomes of a transfer, without keeping it. @throws as {@link request} */
  decideOn(to: string): ReturnType<DecideTransfer> {
    try {
      return this.decide(to);
    } catch (thrown) {
      if (thrown instanceof VoicebotError) throw thrown;
      throw new VoicebotError('VB_TRANSFER_FAILED', errorText(thrown));
    }
  }
}

function refuse(): never {
  throw new VoicebotError('VB_TRANSFER_FAILED', 'no runner serves this call', {
    hint: 'give FakePhone or FakeRoom `transfer`, which says what becomes of it',
  });
}
