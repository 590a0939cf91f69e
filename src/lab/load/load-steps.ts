import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import { botWaits } from '../stage/bot-waits.js';
import { figuresOf } from './load-figures.js';
import { judge } from './load-limits.js';
import type { WrongCall } from './load-messages.js';
import type { LoadOutcomeReport } from './load-outcome.js';
import type { LoadRequest } from './load-request.js';
import type { LoadTarget } from './load-target.js';
import type { MachineWatch, UsageWatch } from './load-usage.js';
import type { SearchKind } from './search-numbers.js';

/** Of steady calls: between two callers, where a runner says when a bot waits, and where no runner does. */
const EVERY_MS = { asked: 10, unasked: 50 };
/** All calls of a burst dial within it. */
const BURST_MS = 1_000;
/** From the last caller's call to the window, in milliseconds. */
const SETTLE_MS = 2_000;
/** How long a burst is listened to when all have heard the bot, in milliseconds. */
const LISTEN_MS = 2_000;
/** How much longer than its limit a first word is waited for, in milliseconds. */
const LATE_MS = 500;
/** How long bots may take to be ready again for the next burst, in milliseconds. */
const READY = { limitMs: 30_000, pollMs: 50 };

/** The steps of a search: a number of calls each, measured for as long as it takes to judge it, and no longer. */
export class LoadSteps {
  #hopeless = new AbortController();
  #wrong = 0;
  #calls = 0;
  #endedEarly: WrongCall | undefined;
  #hasBeenFine = false;

  /** @param signal ends a step at once */
  constructor(
    private readonly request: LoadRequest,
    private readonly target: LoadTarget,
    private readonly usage: UsageWatch,
    private readonly machine: MachineWatch,
    private readonly signal: AbortSignal,
  ) {
    target.callers.on('wrong', (call) => this.#wentWrong(call));
  }

  /** @throws VoicebotError VB_USAGE for a bot that ends its calls: no number could be right */
  async try(kind: SearchKind, calls: number): Promise<LoadOutcomeReport> {
    this.machine.restart();
    this.#hopeless = new AbortController();
    this.#wrong = 0;
    this.#calls = calls;
    const outcome = kind === 'burst' ? await this.#burst(calls) : await this.#steady(calls);
    if (this.#endedEarly && !this.signal.aborted) throw endsByItself(this.#endedEarly);
    this.#hasBeenFine ||= outcome.limits.every(({ isMet }) => isMet);
    return outcome;
  }

  async #burst(calls: number): Promise<LoadOutcomeReport> {
    const { words, limits, config } = this.request;
    const { callers, runnerUrl } = this.target;
    if (runnerUrl) await botWaits(runnerUrl, { ...READY, bots: config.warm });
    this.usage.restart();
    const everyMs = calls > 1 ? BURST_MS / (calls - 1) : 0;
    const begun = callers.begin({ calls, everyMs, lengthMs: undefined, words, hasRunner: runnerUrl !== undefined });
    await begun.dialled;
    await Promise.race([begun.heard, this.#pass(limits.firstWordMs + LATE_MS)]);
    await this.#pass(LISTEN_MS);
    return await this.#end(begun.over);
  }

  /** When all have dialled and have settled, a window in which gaps count. */
  async #steady(calls: number): Promise<LoadOutcomeReport> {
    const { rampMs, lengthMs = 0, words } = this.request;
    const { callers, runnerUrl } = this.target;
    const everyMs =
      rampMs === undefined ? EVERY_MS[runnerUrl === undefined ? 'unasked' : 'asked'] : rampMs / Math.max(1, calls - 1);
    const asked = runnerUrl && { runnerUrl, hasRunner: true };
    const begun = callers.begin({ calls, everyMs, lengthMs: undefined, words, ...asked });
    await begun.dialled;
    await this.#pass(SETTLE_MS);
    callers.countAfresh();
    this.usage.restart();
    await this.#pass(lengthMs);
    return await this.#end(begun.over);
  }

  async #end(over: ReturnType<LoadTarget['callers']['begin']>['over']): Promise<LoadOutcomeReport> {
    const { used } = this.usage;
    this.target.callers.hangUp();
    const figures = figuresOf(await over);
    const limits = judge(figures, this.request.limits);
    return { figures, limits, used, machine: this.machine.use, isStopped: this.signal.aborted };
  }

  /** More calls went wrong than may: what else is measured changes nothing. */
  #wentWrong(call: WrongCall): void {
    this.#wrong += 1;
    const { outcome, reason } = call;
    // A server that has too much to do may end calls too, and does not say so.
    const isByItself = reason === 'bot_ended' || (reason === undefined && !this.#hasBeenFine);
    if (outcome === 'ended_early' && isByItself) this.#endedEarly ??= call;
    if (!this.#endedEarly && 100 * this.#wrong <= this.request.limits.failedPercent * this.#calls) return;
    this.#hopeless.abort();
    this.target.callers.hangUp();
  }

  /** Until a signal comes, or nothing can be measured any more. */
  async #pass(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.signal, this.#hopeless.signal]);
    await delay(ms, undefined, { signal }).catch(() => {});
  }
}

function endsByItself({ lengthMs }: WrongCall): VoicebotError {
  return new VoicebotError(
    'VB_USAGE',
    `--find needs a bot that stays in its calls: this one ended a call by itself after ${(lengthMs / 1_000).toFixed(1)} s, so every number would be wrong`,
    {
      hint:
        'Let it talk until the caller hangs up (a conversation, or a loop over call.say), or measure it as it is, without --find: ' +
        '--calls 20 --ramp 10s --seconds with less than a call of it takes.',
    },
  );
}
