import { machineTimeout, processClock } from './process-clock.js';

/** What a process is allowed: the time of those that are furthest behind, and how far it may go. `untilMs` undefined: at its own pace. */
export interface ClockLease {
  readonly fromMs: number;
  readonly untilMs?: number | undefined;
  readonly speed: number;
}

/** How far a process has come. */
export interface ClockReport {
  readonly reachedMs: number;
  /** It works for something that is waited for, such as the sound of a sentence: meanwhile time goes as it does by the machine's clock. */
  readonly isWorking: boolean;
}

let lease: ClockLease | undefined;
let works = 0;
let tell: (report: ClockReport) => void = () => {};
let telling: NodeJS.Timeout | undefined;

/** Where this process reports to: the one that leads, or that process's own leader. */
export function reportClockTo(report: (report: ClockReport) => void): void {
  tell = report;
}

/** Follows what the leader allows. A report follows once half of it has gone by. */
export function allowClock(allowed: ClockLease): void {
  lease = allowed.untilMs === undefined ? undefined : allowed;
  processClock()?.allow(allowed.fromMs, allowed.untilMs ?? Number.POSITIVE_INFINITY, allowed.speed);
  reportLater();
}

function reportLater(): void {
  clearTimeout(telling);
  const clock = processClock();
  if (!lease?.untilMs || !clock) return;
  const leftMs = (lease.untilMs - Math.max(lease.fromMs, clock.now())) / 2;
  telling = machineTimeout(report, Math.max(0, leftMs) / lease.speed);
  telling.unref();
}

function report(): void {
  const clock = processClock();
  if (clock && lease) tell({ reachedMs: clock.now(), isWorking: works > 0 });
}

/** This process works for something that a call waits for. @returns what says that it is done; more than once does no harm */
export function beginWork(): () => void {
  works += 1;
  if (works === 1) report();
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    works -= 1;
    if (works === 0) report();
  };
}
