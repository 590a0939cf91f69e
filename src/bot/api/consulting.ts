import { VoicebotError } from '../../base/errors.js';
import type { EndReason } from '../../call/call.js';
import type { ConsultLeg } from '../../call/consult.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import type { WarmTransferFailure } from '../../call/transfer-outcome.js';
import type { CallLeg } from './call-leg.js';

/** One who was consulted and not reached. */
export interface NotReached {
  readonly status: Exclude<WarmTransferFailure, 'declined' | 'hung_up'> | 'caller_left';
  /** For logs. */
  readonly detail: string;
}

/** A call that was placed beside another. */
export interface ConsultedCall {
  /** @internal */
  readonly leg: CallLeg;
  /** Resolves when the call is over and its handlers are done. @throws the error that its pipeline has failed with @internal */
  finished(): Promise<void>;
}

/** What ringing has come to. */
export type Consultation<Colleague> = Colleague | NotReached;

/** Calls that a bot has placed beside its own. */
export class Consulting<Colleague extends ConsultedCall> {
  /** Those whose bot is not done with them. */
  readonly #open = new Map<Colleague, (error?: unknown) => void>();

  /** @param open makes a call of what the runner gives */
  constructor(
    private readonly leg: CallLeg,
    private readonly open: (args: RunnerArguments) => Promise<Colleague>,
  ) {}

  /**
   * Has a number dialled beside the call. The caller's leaving ends the ringing.
   * @param placed told when the provider has taken it
   * @throws VoicebotError when it is refused
   */
  async call(
    to: string,
    ringSeconds: number,
    placed: (leg: ConsultLeg) => void = () => {},
  ): Promise<Consultation<Colleague>> {
    const { runner } = this.leg;
    if (this.leg.isOver) return CALLER_LEFT;
    if (!runner?.consult) {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'no runner is there to dial another number', {
        hint: 'serve the bot with `voicebot run`',
      });
    }
    const placedLeg = await runner.consult({ to, ringSeconds });
    if (this.leg.isOver) placedLeg.end();
    else placed(placedLeg);
    const reached = await Promise.race([placedLeg.reached, this.leg.ended]);
    if (typeof reached === 'string' || this.leg.isOver) {
      placedLeg.end();
      return CALLER_LEFT;
    }
    if ('reason' in reached) return notReached(reached.reason);
    try {
      const colleague = await this.open(reached.args);
      this.#open.set(colleague, reached.done);
      void colleague.finished().then(
        () => this.#done(colleague),
        (error) => this.#done(colleague, error),
      );
      return colleague;
    } catch (error) {
      reached.done(error);
      placedLeg.end();
      if ((error as Partial<VoicebotError>).code !== 'VB_STREAM_CLOSED') throw error;
      return { status: 'failed', detail: 'it has hung up at once' };
    }
  }

  /** The bot is done with its call: those whom it has not left to each other are hung up. */
  end(): void {
    for (const { leg } of this.#open.keys()) if (!leg.isLeft) leg.end('bot_ended');
  }

  /** The bot has failed: another may take them over. */
  fail(error: unknown): void {
    for (const colleague of this.#open.keys()) this.#done(colleague, error);
  }

  #done(colleague: Colleague, error?: unknown): void {
    this.#open.get(colleague)?.(error);
    this.#open.delete(colleague);
  }
}

const CALLER_LEFT: NotReached = { status: 'caller_left', detail: 'the caller has hung up' };

const STATUS: Partial<Record<EndReason, NotReached['status']>> = {
  busy: 'busy',
  no_answer: 'no_answer',
  rejected: 'rejected',
  voicemail: 'voicemail',
};

const notReached = (reason: EndReason): NotReached => ({
  status: STATUS[reason] ?? 'failed',
  detail: `its call has come to nothing: ${reason}`,
});
