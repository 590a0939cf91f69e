import { deferred } from '../../base/async/deferred.js';
import { reportException } from '../../base/exception/report-exception.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import type { ConsultedLegs } from './consulted-legs.js';
import type { Hosting } from './hosted-call.js';
import { HostedStream } from './hosted-stream.js';
import type { ServeMessage } from './messages.js';

/** A call on a media stream that was dialled beside another one: the bot of that one has it. */
export class HostedLegStream extends HostedStream {
  /** @param legs of the other call */
  constructor(message: ServeMessage, hosting: Hosting, legs: ConsultedLegs) {
    super(message, { ...hosting, bot: (args) => this.#serve(args, legs) });
  }

  /** Stands in the place of the bot function: settles when the bot is done with the call, or the call is over. */
  async #serve(args: RunnerArguments, legs: ConsultedLegs): Promise<void> {
    const done = deferred();
    args.signal.addEventListener('abort', () => done.resolve(), { once: true });
    const unhost = legs.host(this.call.id, {
      reached: {
        args,
        done: (error) => {
          if (error !== undefined) this.#report(error);
          done.resolve();
        },
      },
      leave: () => {
        this.threw();
        done.resolve();
      },
    });
    await done.promise;
    unhost();
  }

  #report(error: unknown): void {
    const { id, attempt } = this.call;
    reportException(`bot failed in call ${id} (attempt ${attempt})`, error, { callId: id, isFatal: false });
  }
}
