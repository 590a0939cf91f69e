import type { Socket } from 'node:net';
import { settlesWithin } from '../../async/deadline.js';
import { deferred } from '../../async/deferred.js';
import type { BotFunction, RunnerArguments } from '../../call/runner-arguments.js';
import {
  type BotOutcome,
  type FromBot,
  GOODBYE_MS,
  type MessageFromBot,
  SETTLE_LIMIT_MS,
  type ServedCall,
  type ToBot,
} from './messages.js';

/** What the calls of one process share. */
export interface Hosting {
  readonly bot: BotFunction;
  /** Tells the runner. */
  readonly send: (message: MessageFromBot) => void;
  /** Whether the runner is gone: nobody else keeps the limits of calls then. */
  readonly isOrphan: () => boolean;
}

/** The bot's side of one call: runs the bot function, and tells it when the call is over. Lives in the bot's process. */
export abstract class HostedCall {
  protected readonly abort = new AbortController();
  /** The call is over as far as its bot can know. */
  readonly #over = deferred();

  constructor(
    protected readonly call: ServedCall,
    protected readonly hosting: Hosting,
  ) {}

  /**
   * Runs the bot function, which is given up when it goes on for too long after the end of the call.
   * @param limitMs longest the call may last, in milliseconds
   */
  async run(limitMs: number): Promise<BotOutcome> {
    const { id } = this.call;
    const limit = setTimeout(() => this.limitReached(), limitMs);
    const settled = this.#runBot();
    await Promise.race([settled, this.#over.promise]);
    clearTimeout(limit);
    if (!(await settlesWithin(settled, SETTLE_LIMIT_MS))) {
      console.error(`bot of call ${id} has not returned ${SETTLE_LIMIT_MS / 1_000} s after the end of the call`);
    }
    await this.letGo();
    return Promise.race([settled, 'threw' as const]);
  }

  /** What the runner tells about the call. @param socket the stream that comes with `stream` */
  receive(message: ToBot, socket?: Socket): void {
    if (message.type === 'end') this.end();
    else if (message.type === 'call_over') this.callOver();
    else if (message.type === 'abandon') this.abandon();
    else this.hear(message, socket);
  }

  /** Asks the bot to end the call. */
  end(): void {
    this.abort.abort();
  }

  /** What the runner was to bring will not come any more. */
  runnerGone(): void {}

  /** The call has ended. */
  protected callOver(): void {
    this.abort.abort();
    this.#over.resolve();
  }

  protected tell(message: FromBot): void {
    this.hosting.send({ ...message, callId: this.call.id });
  }

  /** The runner ends calls at their limits; when it is gone, the bot is asked to, and has a moment to say goodbye. */
  protected limitReached(): void {
    if (!this.hosting.isOrphan()) return;
    this.abort.abort();
    setTimeout(() => this.goodbyeOver(), GOODBYE_MS).unref();
  }

  /** Ends the call of a bot that has not, where that can be done from here. */
  protected goodbyeOver(): void {}

  protected abstract arguments(): RunnerArguments;
  /** The bot function has returned. */
  protected abstract returned(): void;
  /** The bot function has thrown. */
  protected abstract threw(): void;
  /** Another bot takes the call over. */
  protected abstract abandon(): void;
  protected abstract hear(message: ToBot, socket?: Socket): void;
  /** The bot is done with the call. */
  protected abstract letGo(): Promise<void>;

  async #runBot(): Promise<BotOutcome> {
    try {
      await this.hosting.bot(this.arguments());
      this.returned();
      return 'returned';
    } catch (error) {
      console.error(`bot failed in call ${this.call.id} (attempt ${this.call.attempt}):`, error);
      this.threw();
      return 'threw';
    }
  }
}
