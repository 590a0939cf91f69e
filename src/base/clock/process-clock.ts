import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { timeLimit } from '../async/time-limit.js';
import { clearAnyTimer, fastTimers } from './fast-timers.js';
import { type ClockStart, SharedClock } from './shared-clock.js';

const MachineDate = Date;
const machine = {
  Date: MachineDate,
  now: performance.now.bind(performance),
  hrtime: process.hrtime,
  setTimeout: timers.setTimeout,
  setInterval: timers.setInterval,
  clearTimeout: timers.clearTimeout,
  clearInterval: timers.clearInterval,
  promised: timersPromises.setTimeout,
  promisedInterval: timersPromises.setInterval,
  wait: timersPromises.scheduler.wait,
  abortAfter: AbortSignal.timeout,
};
const machineDateNow = Date.now;
const bigint = process.hrtime.bigint;

/** The same for all threads. */
const monotonicMs = () => Number(bigint.call(process.hrtime)) / 1e6;

let followed: SharedClock | undefined;

/** Monotonic milliseconds of the machine, whatever clock the process goes by. */
export const machineNow = (): number => (followed ? machine.now() : performance.now());

/**
 * As `setTimeout`, by the machine's clock: for what waits until the machine has done some work, which it does no faster because a clock
 * runs faster.
 */
export const machineTimeout = (act: () => void, ms: number): NodeJS.Timeout =>
  followed ? machine.setTimeout(act, ms) : setTimeout(act, ms);

/** As {@link timeLimit}, by the machine's clock. */
export const machineSignal = (ms: number): AbortSignal => timeLimit(ms, machineTimeout);

/** What this process goes by; undefined: the machine's clock. */
export const processClock = (): SharedClock | undefined => followed;

/** For what this process starts. @param isThread of this process, which then goes by the very same clock */
export function clockStart(isThread = false): ClockStart | undefined {
  return followed && { nowMs: followed.now(), ...(isThread && { memory: followed.memory }) };
}

/** Milliseconds since the Unix epoch, by the machine's clock. */
export const machineEpoch = (): number => performance.timeOrigin + machine.now();

/**
 * Has this thread go by a clock of its own: `Date`, `performance.now`, `process.hrtime`, the timers of `node:timers` and
 * `node:timers/promises`, and `AbortSignal.timeout`. What was imported before goes by it too; timers that run already do not, nor do other
 * threads and what Node itself counts, such as the idle time of its HTTP connections.
 */
export function followClock(start: ClockStart): SharedClock {
  const clock = new SharedClock(start, monotonicMs);
  followed = clock;
  const fast = fastTimers(clock);
  /** So that times of this clock are as far from those of `Date` as they are by the machine's. */
  const monotonicOffsetMs = monotonicMs() - machineEpoch();
  const nowNs = () => BigInt(Math.round((clock.now() + monotonicOffsetMs) * 1e6));
  const hrtime = (since: readonly [number, number] = [0, 0]): [number, number] => {
    const ns = nowNs() - BigInt(since[0]) * 1_000_000_000n - BigInt(since[1]);
    return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
  };
  const FastDate = new Proxy(MachineDate, {
    apply: () => new MachineDate(clock.now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [clock.now()] : args, newTarget) as object,
  });
  MachineDate.now = () => Math.floor(clock.now());
  install({
    Date: FastDate,
    now: () => clock.now() - performance.timeOrigin,
    hrtime: Object.assign(hrtime, { bigint: nowNs }),
    ...fast,
    clearTimeout: clearAnyTimer,
    clearInterval: clearAnyTimer,
    wait: (ms: number, options?: object) => fast.promised(ms, undefined, options),
  });
  return clock;
}

/** Has this thread go by the machine's clock again. Timers of the other one still fire. */
export function leaveClock(): void {
  followed?.allow(0, Number.POSITIVE_INFINITY, 1);
  followed = undefined;
  MachineDate.now = machineDateNow;
  install({ ...machine, clearTimeout: clearAnyTimer, clearInterval: clearAnyTimer });
}

/** Puts each function in all the places where it is found. */
function install(functions: Readonly<Record<keyof typeof machine, unknown>>): void {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = functions;
  MachineDate.prototype.constructor = functions.Date as DateConstructor;
  Object.assign(globalThis, { Date: functions.Date, setTimeout, setInterval, clearTimeout, clearInterval });
  Object.assign(timers, { setTimeout, setInterval, clearTimeout, clearInterval });
  Object.assign(timersPromises, { setTimeout: functions.promised, setInterval: functions.promisedInterval });
  Object.assign(timersPromises.scheduler, { wait: functions.wait });
  Object.defineProperty(performance, 'now', { value: functions.now, configurable: true, writable: true });
  Object.assign(process, { hrtime: functions.hrtime });
  Object.assign(AbortSignal, { timeout: functions.abortAfter });
  syncBuiltinESMExports();
}
