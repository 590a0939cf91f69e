import { AsyncResource } from 'node:async_hooks';
import timers from 'node:timers';
import { promisify } from 'node:util';
import { timeLimit } from '../async/time-limit.js';
import type { SharedClock } from './shared-clock.js';

/** What Node counts timers with, in milliseconds: a longer one fires at once, with a warning. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** What timers count in: one that is due sooner is due now. */
const STEP_MS = 1;

const machine = { setTimeout: timers.setTimeout, clearTimeout: timers.clearTimeout };

type Act = (...args: unknown[]) => void;

/** A timer of a {@link SharedClock}: as Node's. */
class FastTimer implements Disposable {
  readonly #resource = new AsyncResource('Timeout');
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #isRef = true;

  constructor(
    private readonly clock: SharedClock,
    private readonly act: () => void,
    private readonly ms: number,
    private readonly isRepeated: boolean,
  ) {
    this.refresh();
  }

  refresh(): this {
    this.#dueMs = this.clock.now() + this.ms;
    this.#arm();
    return this;
  }

  ref(): this {
    this.#isRef = true;
    this.#timer?.ref();
    return this;
  }

  unref(): this {
    this.#isRef = false;
    this.#timer?.unref();
    return this;
  }

  hasRef(): boolean {
    return this.#isRef;
  }

  close(): this {
    machine.clearTimeout(this.#timer);
    this.#timer = undefined;
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Again and again where the clock stands still, or goes slower meanwhile. */
  #arm(): void {
    machine.clearTimeout(this.#timer);
    const leftMs = this.#dueMs - this.clock.now();
    this.#timer = machine.setTimeout(() => this.#fire(), leftMs / this.clock.speed);
    if (!this.#isRef) this.#timer.unref();
  }

  #fire(): void {
    if (this.#dueMs - this.clock.now() >= STEP_MS) {
      this.#arm();
      return;
    }
    this.#timer = undefined;
    if (this.isRepeated) this.refresh();
    this.#resource.runInAsyncScope(this.act);
  }
}

/** What `node:timers`, `node:timers/promises` and `AbortSignal.timeout` do, by another clock. */
export function fastTimers(clock: SharedClock) {
  const start = (act: Act, ms: number | undefined, args: readonly unknown[], isRepeated: boolean) => {
    const given = Number(ms ?? 1);
    const waited = given >= 1 && given <= LONGEST_TIMER_MS ? given : 1;
    return new FastTimer(clock, () => act(...args), waited, isRepeated);
  };
  const setTimeoutFast = (act: Act, ms?: number, ...args: unknown[]) => start(act, ms, args, false);
  const setIntervalFast = (act: Act, ms?: number, ...args: unknown[]) => start(act, ms, args, true);

  const promised = <T>(ms?: number, value?: T, { signal, ref = true }: WaitOptions = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted(signal));
      const giveUp = () => {
        timer.close();
        reject(aborted(signal));
      };
      const done = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve(value);
      };
      const timer = setTimeoutFast(done, ms);
      if (!ref) timer.unref();
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  async function* promisedInterval<T>(ms?: number, value?: T, options?: WaitOptions) {
    for (;;) yield await promised(ms, value, options);
  }
  const abortAfter = (ms: number) => timeLimit(ms, setTimeoutFast);
  Object.defineProperty(setTimeoutFast, promisify.custom, { value: promised });
  return { setTimeout: setTimeoutFast, setInterval: setIntervalFast, promised, promisedInterval, abortAfter };
}

interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

/** As that of Node. */
const aborted = (signal: AbortSignal | undefined): Error =>
  Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });

/** Ends a timer of either kind. */
export function clearAnyTimer(timer: unknown): void {
  if (timer instanceof FastTimer) timer.close();
  else machine.clearTimeout(timer as NodeJS.Timeout | undefined);
}
