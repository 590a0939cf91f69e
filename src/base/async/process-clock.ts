import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';

/** A clock that runs faster than the machine's. Every process that follows the same one reads the same time. */
export interface FastClock {
  /** How many seconds go by in one of the machine's. More than 1. */
  readonly speed: number;
  /** Where both clocks stood together: milliseconds since the Unix epoch. */
  readonly epochMs: number;
  /** The same moment by the machine's monotonic clock, in milliseconds. */
  readonly monotonicMs: number;
}

/** What Node counts timers with, in milliseconds: a longer one fires at once, with a warning. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const MachineDate = Date;
const machine = {
  now: performance.now.bind(performance),
  dateNow: Date.now,
  hrtime: process.hrtime,
  bigint: process.hrtime.bigint,
  setTimeout: timers.setTimeout,
  setInterval: timers.setInterval,
  promised: timersPromises.setTimeout,
  promisedInterval: timersPromises.setInterval,
  wait: timersPromises.scheduler.wait,
  abortAfter: AbortSignal.timeout,
};
const monotonicMs = () => Number(machine.bigint.call(process.hrtime)) / 1e6;

let followed: FastClock | undefined;

/** The clock that this process goes by; undefined: the machine's. For what it starts. */
export const processClock = (): FastClock | undefined => followed;

/** Monotonic milliseconds of the machine, whatever clock the process goes by. */
export const machineNow = (): number => (followed ? machine.now() : performance.now());

/**
 * As `setTimeout`, by the machine's clock: for what waits until the machine has done some work, which it does no faster because a clock
 * runs faster.
 */
export const machineTimeout = (act: () => void, ms: number): NodeJS.Timeout =>
  followed ? machine.setTimeout(act, ms) : setTimeout(act, ms);

/** As `AbortSignal.timeout`, by the machine's clock. */
export const machineSignal = (ms: number): AbortSignal =>
  followed ? machine.abortAfter.call(AbortSignal, ms) : AbortSignal.timeout(ms);

/** A clock that stands where the machine's stands now. @param speed more than 1 */
export const fastClock = (speed: number): FastClock => ({
  speed,
  epochMs: performance.timeOrigin + machine.now(),
  monotonicMs: monotonicMs(),
});

/**
 * Has this thread of this process go by a clock: `Date`, `performance.now`, `process.hrtime`, the timers of `node:timers` and
 * `node:timers/promises`, and `AbortSignal.timeout`. What has been imported before goes by it too; timers that run already do not, nor
 * do other threads and what Node itself counts, such as the idle time of its HTTP connections.
 * @param clock undefined: the machine's again
 */
export function followClock(clock: FastClock | undefined): void {
  if (clock?.speed === followed?.speed && clock?.epochMs === followed?.epochMs) return;
  followed = clock;
  if (clock) replace(clock);
  else restore();
  syncBuiltinESMExports();
}

function replace(clock: FastClock): void {
  const { speed, epochMs } = clock;
  /** Where the clocks stood together, by `performance.now` of this thread. */
  const fromMs = machine.now() - (monotonicMs() - clock.monotonicMs);
  const now = () => epochMs + speed * (machine.now() - fromMs);
  const fastMonotonicNs = () => BigInt(Math.round((clock.monotonicMs + now() - epochMs) * 1e6));
  const shorter = (ms: number | undefined) =>
    ms !== undefined && ms > LONGEST_TIMER_MS ? ms : Number(ms ?? 0) / speed;

  const FastDate = new Proxy(MachineDate, {
    apply: () => new MachineDate(now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  });
  MachineDate.now = () => Math.floor(now());
  MachineDate.prototype.constructor = FastDate;
  const hrtime = (since: [number, number] = [0, 0]): [number, number] => {
    const ns = fastMonotonicNs() - BigInt(since[0]) * 1_000_000_000n - BigInt(since[1]);
    return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
  };
  const setTimeoutFast = (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    machine.setTimeout(act, shorter(ms), ...args);
  const setIntervalFast = (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    machine.setInterval(act, shorter(ms), ...args);
  const promised = <T>(ms?: number, value?: T, options?: object) => machine.promised(shorter(ms), value, options);
  Object.defineProperty(setTimeoutFast, promisify.custom, { value: promised });
  install({
    Date: FastDate,
    now: () => now() - performance.timeOrigin,
    hrtime: Object.assign(hrtime, { bigint: fastMonotonicNs }),
    setTimeout: setTimeoutFast,
    setInterval: setIntervalFast,
    promised,
    promisedInterval: (ms?: number, value?: unknown, options?: object) =>
      machine.promisedInterval(shorter(ms), value, options),
    wait: (ms: number, options?: object) => machine.wait.call(timersPromises.scheduler, shorter(ms), options),
    abortAfter: (ms: number) => abortAfter(shorter(ms)),
  });
}

/** Node's own counts by itself. As with that one, it keeps no process alive. */
function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  machine.setTimeout(() => controller.abort(reason()), ms).unref();
  return controller.signal;
}

function restore(): void {
  MachineDate.now = machine.dateNow;
  MachineDate.prototype.constructor = MachineDate;
  install({ Date: MachineDate, ...machine });
}

/** Puts each function in all the places where it is found. */
function install(
  functions: Readonly<Record<keyof Omit<typeof machine, 'dateNow' | 'bigint'> | 'Date', unknown>>,
): void {
  const { setTimeout, setInterval } = functions;
  Object.assign(globalThis, { Date: functions.Date, setTimeout, setInterval });
  Object.assign(timers, { setTimeout, setInterval });
  Object.assign(timersPromises, { setTimeout: functions.promised, setInterval: functions.promisedInterval });
  Object.assign(timersPromises.scheduler, { wait: functions.wait });
  Object.defineProperty(performance, 'now', { value: functions.now, configurable: true, writable: true });
  Object.assign(process, { hrtime: functions.hrtime });
  Object.assign(AbortSignal, { timeout: functions.abortAfter });
}
