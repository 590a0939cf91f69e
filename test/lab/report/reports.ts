import type { ReportedRun, ReportedScenario, ReportedTest } from '../../../src/lab/report/reported-test.js';

/** One that has passed, in 8 seconds. */
export const reportedRun = (change: Partial<ReportedRun> = {}): ReportedRun => ({
  no: 1,
  callId: 'c-1',
  folder: undefined,
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  lengthMs: 8_000,
  firstWordMs: 300,
  failures: [],
  lines: [],
  ...change,
});

export const reportedScenario = (change: Partial<ReportedScenario> = {}): ReportedScenario => ({
  name: 'tells when the bakery is open',
  title: 'tells when the bakery is open',
  file: 'scenarios/bakery.yaml',
  place: 'scenarios/bakery.yaml:12',
  wire: 'plivo',
  outcome: 'passed',
  kind: undefined,
  why: undefined,
  failures: [],
  answers: { medianMs: 400, worstMs: 900 },
  runs: [reportedRun()],
  ...change,
});

export const testOf = (...scenarios: ReportedScenario[]): ReportedTest => ({
  at: Date.UTC(2026, 0, 2, 3, 4, 0),
  scenarios,
});
