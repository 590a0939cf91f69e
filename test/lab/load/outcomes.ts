import { figuresOf, type LoadCall } from '../../../src/lab/load/load-figures.js';
import { DEFAULT_LIMITS, judge } from '../../../src/lab/load/load-limits.js';
import type { LoadOutcomeReport } from '../../../src/lab/load/load-outcome.js';
import type { MachineUse } from '../../../src/lab/load/load-usage.js';

/** A call that went well. */
export const call = (no: number, changed: Partial<LoadCall> = {}): LoadCall => ({
  no,
  dialledMs: no * 100,
  setUpMs: 10 * no,
  firstWordMs: 100,
  answersMs: [500],
  heardMs: 990,
  missingMs: 0,
  longestGapMs: 0,
  outcome: 'done',
  why: undefined,
  ...changed,
});

export const turnedAway = (no: number): LoadCall =>
  call(no, {
    setUpMs: undefined,
    firstWordMs: undefined,
    heardMs: 0,
    outcome: 'turned_away',
    why: 'turned away: no bot was ready',
  });

export const IDLE: MachineUse = {
  cores: 2,
  botsPercent: 18,
  callersPercent: 9,
  busyPercent: 20,
  freeMemoryPercent: 61,
};

/** What a number of calls came to. */
export function outcomeOf(calls: readonly LoadCall[], machine: Partial<MachineUse> = {}): LoadOutcomeReport {
  const figures = figuresOf(calls);
  const cpuPercent = { count: 1, p50: 18, p95: 18, p99: 18, max: 18 };
  return {
    figures,
    limits: judge(figures, DEFAULT_LIMITS),
    used: { cpuPercent, memoryBytes: 10 * 130 * 2 ** 20, processes: 10 },
    machine: { ...IDLE, ...machine },
    isStopped: false,
  };
}
