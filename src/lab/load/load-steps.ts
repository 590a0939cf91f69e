import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import { botWaits, readyBotsAt } from '../stage/bot-waits.js';
import { figuresOf, type LoadCall } from './load-figures.js';
import { judge, LEFT_OUT_PERCENT } from './load-limits.js';
import type { CallersSecond, WrongCall } from './load-messages.js';
import type { LoadOutcomeReport } from './load-outcome.js';
import type { LoadRequest } from './load-request.js';
import type { LoadTarget } from './load-target.js';
import type { MachineWatch, UsageWatch, UsedByLoad } from './load-usage.js';
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
  #calls = 0;
  #wrong = 0;
  /** First words that were late. */
  #late = 0;
  #endedEarly: WrongCall | undefined;
  /** The largest steady number that was fine. */
  #fine = 0;
  /** Resolves when those who stay are over; undefined when no caller stays. */
  #staying: ReturnType<LoadTarget['callers']['begin']>['over'] | undefined;

  /** @param signal ends a step at once */
  constructor(
    private readonly request: LoadRequest,
    private readonly target: LoadTarget,
    private readonly usage: UsageWatch,
    private readonly machine: MachineWatch,
    private readonly signal: AbortSignal,
  ) {
    target.callers.on('wrong', (call) => this.#wentWrong(call));
    target.callers.on('second', (second) => this.#second(second));
  }

  /** @throws VoicebotError VB_USAGE for a bot that ends its calls: no number could be right */
  async try(kind: SearchKind, calls: number): Promise<LoadOutcomeReport> {
    const outcome = kind === 'burst' ? await this.#burst(calls) : await this.#steady(calls);
    if (this.#endedEarly && !this.signal.aborted) throw endsByItself(this.#endedEarly);
    const isFine = outcome.limits.every(({ isMet }) => isMet);
    if (isFine && kind === 'steady') this.#fine = Math.max(this.#fine, calls);
    return outcome;
  }

  async #burst(calls: number): Promise<LoadOutcomeReport> {
    const { words, limits, config } = this.request;
    const { callers, runnerUrl } = this.target;
    await this.#leave();
    if (runnerUrl) await botWaits(() => readyBotsAt(runnerUrl), { ...READY, bots: config.warm });
    this.#expect(calls);
    const everyMs = calls > 1 ? BURST_MS / (calls - 1) : 0;
    const begun = callers.begin({ calls, everyMs, lengthMs: undefined, words, hasRunner: runnerUrl !== undefined });
    this.#hopeless.signal.addEventListener('abort', () => callers.hangUp(), { once: true });
    await begun.dialled;
    await Promise.race([begun.heard, this.#pass(limits.firstWordMs + LATE_MS)]);
    await this.#pass(LISTEN_MS);
    const { used } = this.usage;
    callers.hangUp();
    return this.#outcome(await begun.over, used);
  }

  /**
   * When all have dialled and have settled, a window in which gaps count. Those of the largest number that was fine so far stay in their
   * calls, and only the others dial.
   */
  async #steady(calls: number): Promise<LoadOutcomeReport> {
    const { rampMs, lengthMs = 0, words } = this.request;
    const { callers, runnerUrl } = this.target;
    const asked = runnerUrl === undefined ? 'unasked' : 'asked';
    const everyMs = rampMs === undefined ? EVERY_MS[asked] : rampMs / Math.max(1, calls - this.#fine - 1);
    if (this.#staying) await callers.resize(this.#fine, everyMs);
    this.#expect(calls);
    this.#hopeless.signal.addEventListener('abort', () => callers.stopDialling(), { once: true });
    if (this.#staying) await callers.resize(calls, everyMs);
    else {
      const order = { calls, everyMs, lengthMs: undefined, words, stays: true };
      const begun = callers.begin({ ...order, ...(runnerUrl && { runnerUrl, hasRunner: true }) });
      this.#staying = begun.over;
      await begun.dialled;
    }
    await this.#pass(SETTLE_MS);
    callers.countAfresh();
    this.usage.restart();
    await this.#pass(lengthMs);
    return this.#outcome(await callers.count(), this.usage.used);
  }

  /** Those who stay hang up. */
  async #leave(): Promise<void> {
    if (!this.#staying) return;
    this.target.callers.hangUp();
    await this.#staying;
    this.#staying = undefined;
  }

  #expect(calls: number): void {
    this.#hopeless = new AbortController();
    this.#calls = calls;
    this.#wrong = 0;
    this.#late = 0;
    this.machine.restart();
    this.usage.restart();
  }

  #outcome(calls: readonly LoadCall[], used: UsedByLoad | undefined): LoadOutcomeReport {
    const figures = figuresOf(calls);
    const limits = judge(figures, this.request.limits);
    return { figures, limits, used, machine: this.machine.use, isStopped: this.signal.aborted };
  }

  /** More calls went wrong than may: what else is measured changes nothing. */
  #wentWrong(call: WrongCall): void {
    this.#wrong += 1;
    const { outcome, reason } = call;
    // A server that has too much to do may end calls too, and does not say so.
    const isByItself = reason === 'bot_ended' || (reason === undefined && this.#fine === 0);
    if (outcome === 'ended_early' && isByItself) this.#endedEarly ??= call;
    if (this.#endedEarly || 100 * this.#wrong > this.request.limits.failedPercent * this.#calls) this.#hopeless.abort();
  }

  /** The same where so many first words were late that the others cannot mend it. */
  #second({ firstWordsMs }: CallersSecond): void {
    this.#late += firstWordsMs.filter((ms) => ms > this.request.limits.firstWordMs).length;
    if (100 * this.#late > LEFT_OUT_PERCENT * this.#calls + 100) this.#hopeless.abort();
  }

  /** Until a signal comes, or nothing can be measured any more. @throws as {@link CallersProcess.lost} */
  async #pass(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.signal, this.#hopeless.signal]);
    const passed = delay(ms, undefined, { signal, ref: false }).catch(() => {});
    await Promise.race([passed, this.target.callers.lost]);
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
