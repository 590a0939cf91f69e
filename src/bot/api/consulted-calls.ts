import { VoicebotError } from '../../base/errors.js';
import type { EndReason } from '../../call/call.js';
import type { ConsultLeg } from '../../call/consult.js';
import type { CallRunnerLink } from '../../call/runner-link.js';
import { type ConsultOptions, checkedConsult } from './consult-options.js';

/** A call with somebody whom the bot consults. */
interface ConsultedCall {
  readonly ended: Promise<EndReason>;
  hangUp(): Promise<void>;
}

export interface ConsultedCallsOptions<Consulted extends ConsultedCall> {
  readonly runner: CallRunnerLink | undefined;
  /** Resolves when the bot's own call is over. */
  readonly over: Promise<unknown>;
  /** Resolves when the callee has answered, or has not. */
  readonly open: (leg: ConsultLeg) => Promise<Consulted>;
}

/** The calls that a bot has had dialled beside its own. */
export class ConsultedCalls<Consulted extends ConsultedCall> {
  /** Those that a bot has joined with its own call: they go on when its function returns. */
  readonly bridged = new Set<Consulted>();
  readonly #calls = new Set<Consulted>();
  /** Those that have not been answered. */
  readonly #ringing = new Set<ConsultLeg>();

  constructor(private readonly options: ConsultedCallsOptions<Consulted>) {
    void options.over.then(() => this.#end([...this.#calls]));
  }

  /** As `Call.consult`. */
  async consult(to: string, options: ConsultOptions): Promise<Consulted> {
    const { ringSeconds } = checkedConsult(options);
    const { runner, open } = this.options;
    if (!runner?.consult) {
      throw new VoicebotError('VB_TRANSFER_FAILED', 'no runner is there to dial', {
        hint: 'serve the bot with `voicebot run`',
      });
    }
    const leg = await runner.consult({ to, ringSeconds });
    this.#ringing.add(leg);
    const call = await open(leg).finally(() => this.#ringing.delete(leg));
    this.#calls.add(call);
    void call.ended.then(() => {
      this.#calls.delete(call);
      this.bridged.delete(call);
    });
    return call;
  }

  /**
   * The bot's function has returned: what rings stops, and calls that are not bridged are hung up when all said in them has been heard.
   * @returns whether some are bridged
   */
  async leave(): Promise<boolean> {
    await this.#end([...this.#calls].filter((call) => !this.bridged.has(call)));
    return this.bridged.size > 0;
  }

  async #end(calls: readonly Consulted[]): Promise<void> {
    for (const leg of this.#ringing) leg.end();
    await Promise.all(calls.map((call) => call.hangUp()));
  }
}
