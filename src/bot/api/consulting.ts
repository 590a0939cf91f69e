import { VoicebotError } from '../../base/errors.js';
import type { ConsultLeg } from '../../call/consult.js';
import type { CallLeg } from './call-leg.js';

/** A call that was placed beside another. */
export interface ConsultedCall {
  /** @internal */
  readonly leg: CallLeg;
  readonly isOver: boolean;
}

/** The calls that a bot has had dialled beside its own. */
export class Consulting<Consulted extends ConsultedCall> {
  readonly #calls = new Set<Consulted>();
  /** Those that have not been answered. */
  readonly #ringing = new Set<ConsultLeg>();
  #calling = 0;

  /** @param openLeg resolves when the callee has answered, or has not: with a call that is over then */
  constructor(
    private readonly leg: CallLeg,
    private readonly openLeg: (placed: ConsultLeg) => Promise<Consulted>,
  ) {
    void leg.ended.then(() => this.end());
  }

  /** One has not come to an answer or to nothing. */
  get isCalling(): boolean {
    return this.#calling > 0;
  }

  /** Those that were answered and are not over. */
  get open(): Consulted[] {
    return [...this.#calls].filter((call) => !call.isOver);
  }

  /**
   * Has a number dialled beside the call, whose end ends the ringing.
   * @param placed told when the provider has taken it
   * @param legId that of a call which an earlier bot has had placed: it is taken on, and nothing is dialled
   * @throws VoicebotError when it is refused
   */
  async call(
    to: string,
    ringSeconds: number,
    placed: (leg: ConsultLeg) => void = () => {},
    legId?: string,
  ): Promise<Consulted> {
    const { runner } = this.leg;
    if (!runner?.consult) {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'no runner is there to dial', {
        hint: 'serve the bot with `voicebot run`',
      });
    }
    this.#calling += 1;
    try {
      const leg = await runner.consult({ to, ringSeconds, ...(legId && { legId }) });
      this.#ringing.add(leg);
      if (this.leg.isOver) leg.end();
      else placed(leg);
      const call = await this.openLeg(leg).finally(() => this.#ringing.delete(leg));
      this.#calls.add(call);
      void call.leg.ended.then(() => this.#calls.delete(call));
      if (this.leg.isOver) this.end();
      return call;
    } finally {
      this.#calling -= 1;
    }
  }

  /**
   * The bot is done, or the call is over: what rings stops, and those whom the bot has not left to each other are hung up when all said to them
   * has been heard.
   */
  end(): void {
    for (const leg of this.#ringing) leg.end();
    for (const { leg } of this.#calls) if (!leg.isLeft) leg.end('bot_ended');
  }

  /** Resolves when all of them are over. */
  async over(): Promise<void> {
    await Promise.all([...this.#calls].map(({ leg }) => leg.ended));
  }
}
