import type { CallId } from '../../call/call-id.js';
import type { Logger } from '../../logger.js';
import type { BotCall } from '../bots/bot-call.js';
import type { BotPool } from '../bots/bot-pool.js';
import type { ToBot } from '../bots/messages.js';

/** Why a caller got no bot. */
export type NoBotReason = 'no_bot' | 'bot_crashed' | 'bot_timeout';

export interface BotEntryOptions {
  callId: CallId;
  pool: Pick<BotPool, 'assign'>;
  /** Of the first bot that is tried. */
  attempt: number;
  /** Of the last. */
  maxAttempts: number;
  /** How long a bot may take to be there before another one is tried beside it, in milliseconds. */
  besideMs: number;
  /** Longest the caller may have to wait for a bot, in milliseconds. */
  limitMs: number;
  /** Has this bot serve the call. */
  serve: (bot: BotCall, attempt: number) => void;
  /** No bot is there, and no other is tried. */
  onFailed: (reason: NoBotReason) => void;
  logger: Logger;
}

/**
 * The way from a caller to a bot that is there, under one deadline. Several bots may be on it at once; the first one that is
 * there has the call.
 */
export class BotEntry {
  /** The bots that have been started, with their attempts. */
  readonly #bots = new Map<BotCall, number>();
  #attempt: number;
  #isAssigning = false;
  #isOver = false;
  #besideTimer: NodeJS.Timeout | undefined;
  readonly #timers: NodeJS.Timeout[] = [];

  /** @param waiting the call's bot that waits for its caller to come back, which is tried first */
  constructor(
    private readonly options: BotEntryOptions,
    waiting?: BotCall,
  ) {
    this.#attempt = options.attempt;
    this.after(options.limitMs, () => this.#fail(this.#bots.size > 0 ? 'bot_timeout' : 'no_bot'));
    if (waiting) this.#serve(waiting);
    else void this.#assign();
  }

  /** Does something when no bot is there after so many milliseconds. */
  protected after(limitMs: number, act: () => void): void {
    this.#timers.push(this.#later(limitMs, act));
  }

  /** When it was the runner that stood still, news of that time are still waiting to be read. */
  #later(ms: number, act: () => void): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.#isOver || act()), Math.max(0, ms));
  }

  has(bot: BotCall): boolean {
    return this.#bots.has(bot);
  }

  /** Tells every bot on the way. */
  send(message: ToBot): void {
    for (const bot of this.#bots.keys()) bot.send(message);
  }

  /**
   * This bot is there: it has the call, and the others lose it.
   * @returns its attempt; undefined when it is too late
   */
  claim(bot: BotCall): number | undefined {
    const attempt = this.#bots.get(bot);
    if (attempt === undefined || this.#isOver) return undefined;
    this.#bots.delete(bot);
    this.abandon();
    return attempt;
  }

  /** This bot has failed on the way: the next one is tried. */
  lost(bot: BotCall, reason: 'bot_crashed' | 'bot_timeout'): void {
    this.#bots.delete(bot);
    if (this.#isOver || this.#bots.size > 0 || this.#isAssigning) return;
    if (this.#attempt >= this.options.maxAttempts) this.#fail(reason);
    else this.#tryNext();
  }

  /** Nobody is to get the call here any more. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#besideTimer);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** The same, and takes the call away from the bots. */
  abandon(): void {
    this.close();
    for (const bot of this.#bots.keys()) bot.abandon();
    this.#bots.clear();
  }

  #tryNext(): void {
    this.#attempt += 1;
    void this.#assign();
  }

  async #assign(): Promise<void> {
    const { pool, callId, logger } = this.options;
    this.#isAssigning = true;
    try {
      await pool.assign(callId, (bot) => {
        this.#isAssigning = false;
        if (!this.#isOver) this.#serve(bot);
      });
    } catch (error) {
      this.#isAssigning = false;
      if (this.#isOver || this.#bots.size > 0) return;
      logger.error('no bot for a call', { callId, error });
      this.#fail('no_bot');
    }
  }

  #serve(bot: BotCall): void {
    this.#bots.set(bot, this.#attempt);
    clearTimeout(this.#besideTimer);
    this.#besideTimer = this.#later(this.options.besideMs, () => this.#onSlow());
    this.options.serve(bot, this.#attempt);
  }

  #onSlow(): void {
    if (this.#attempt >= this.options.maxAttempts) return;
    const { callId, besideMs, logger } = this.options;
    logger.warn('the bot of a call is not there yet, starting another one beside it', {
      callId,
      attempt: this.#attempt + 1,
      limitMs: besideMs,
    });
    this.#tryNext();
  }

  #fail(reason: NoBotReason): void {
    this.abandon();
    this.options.onFailed(reason);
  }
}
