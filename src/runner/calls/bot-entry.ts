import type { Logger } from '../../logger.js';
import type { BotPool } from '../bots/bot-pool.js';
import type { BotProcess } from '../bots/bot-process.js';

/** Why a caller got no bot. */
export type NoBotReason = 'no_bot' | 'bot_crashed' | 'bot_timeout';

export interface BotEntryOptions {
  callId: string;
  pool: Pick<BotPool, 'assign'>;
  /** Of the first bot that is tried. */
  attempt: number;
  /** Of the last. */
  maxAttempts: number;
  /** How long a bot may take to be there before another one is tried beside it, in milliseconds. */
  besideMs: number;
  /** Longest the caller may have to wait for a bot, in milliseconds. */
  limitMs: number;
  /** Starts the call's bot in this process. */
  serve: (process: BotProcess, attempt: number) => void;
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
  readonly #bots = new Map<BotProcess, number>();
  #attempt: number;
  #isAssigning = false;
  #isOver = false;
  #besideTimer: NodeJS.Timeout | undefined;
  readonly #timers: NodeJS.Timeout[] = [];

  /** @param waiting the process that still has this call's bot, which is tried first */
  constructor(
    private readonly options: BotEntryOptions,
    waiting?: BotProcess,
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

  has(process: BotProcess): boolean {
    return this.#bots.has(process);
  }

  /** Tells every bot on the way. */
  tell(message: Parameters<BotProcess['tell']>[0]): void {
    for (const process of this.#bots.keys()) process.tell(message);
  }

  /**
   * This process's bot is there: it has the call, and the others lose it.
   * @returns its attempt; undefined when it is too late
   */
  claim(process: BotProcess): number | undefined {
    const attempt = this.#bots.get(process);
    if (attempt === undefined || this.#isOver) return undefined;
    this.#bots.delete(process);
    this.abandon();
    return attempt;
  }

  /** This process's bot has failed on the way: the next one is tried. */
  lost(process: BotProcess, reason: 'bot_crashed' | 'bot_timeout'): void {
    this.#bots.delete(process);
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
    for (const process of this.#bots.keys()) process.abandon(this.options.callId);
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
      await pool.assign(callId, (process) => {
        this.#isAssigning = false;
        if (!this.#isOver) this.#serve(process);
      });
    } catch (error) {
      this.#isAssigning = false;
      if (this.#isOver || this.#bots.size > 0) return;
      logger.error('no bot for a call', { callId, error });
      this.#fail('no_bot');
    }
  }

  #serve(process: BotProcess): void {
    this.#bots.set(process, this.#attempt);
    clearTimeout(this.#besideTimer);
    this.#besideTimer = this.#later(this.options.besideMs, () => this.#onSlow());
    this.options.serve(process, this.#attempt);
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
