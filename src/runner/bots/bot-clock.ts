import { clockLeader, type Membership } from '../../base/clock/clock-leader.js';
import type { ClockLease, ClockReport } from '../../base/clock/clock-member.js';
import type { BotCall } from './bot-call.js';

/** The clock of one bot process where this process leads those of others: while the bots have calls, theirs goes as the others do. */
export class BotClock {
  readonly #calls = new Set<BotCall>();
  #membership: Membership | undefined;

  /** @param tell the process of how far time may go in it */
  constructor(private readonly tell: (lease: ClockLease) => void) {}

  /** A call begins; it is over with `call_done`. */
  begin(call: BotCall): void {
    this.#membership ??= clockLeader()?.join(this.tell);
    this.#calls.add(call);
    call.once('call_done', () => {
      this.#calls.delete(call);
      if (this.#calls.size > 0) return;
      this.#membership?.leave();
      this.#membership = undefined;
    });
  }

  reported(report: ClockReport): void {
    this.#membership?.reported(report);
  }
}
