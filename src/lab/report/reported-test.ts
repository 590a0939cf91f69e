import type { FailureKind } from '../scenario/call-story.js';
import type { Wire } from '../scenario/scenario-result.js';

/** A test as its page shows it. */
export interface ReportedTest {
  /** When it began, milliseconds since the Unix epoch. */
  readonly at: number;
  readonly scenarios: readonly ReportedScenario[];
}

export type ScenarioOutcome = 'passed' | 'failed' | 'not_run' | 'skipped';

/** A scenario over one wire. */
export interface ReportedScenario {
  readonly name: string;
  /** The name, with the wire where the scenario ran over several. */
  readonly title: string;
  /** As one would type it in the working directory. */
  readonly file: string;
  /** `scenarios/bakery.yaml:12` */
  readonly place: string;
  readonly wire: Wire;
  readonly outcome: ScenarioOutcome;
  readonly kind: FailureKind | undefined;
  /** Why no call was made, where none was. */
  readonly why: string | undefined;
  /** What does not hold over all runs together. */
  readonly failures: readonly ReportedFailure[];
  /** How long callers waited for an answer, in milliseconds. */
  readonly answers: { readonly medianMs: number; readonly worstMs: number } | undefined;
  readonly runs: readonly ReportedRun[];
}

/** In words. */
export interface ReportedFailure {
  /** Undefined where the bot broke: nothing of the kind is expected of it. */
  readonly expected: string | undefined;
  readonly happened: string;
}

/** One call. */
export interface ReportedRun {
  readonly no: number;
  readonly callId: string | undefined;
  /** Absolute path of its folder. */
  readonly folder: string | undefined;
  readonly startedAt: number;
  readonly lengthMs: number;
  readonly firstWordMs: number | undefined;
  readonly failures: readonly ReportedFailure[];
  /** The last that was said and done in it. */
  readonly lines: readonly string[];
}

/** How many calls of a scenario have passed. */
export const passedRuns = ({ runs }: ReportedScenario): number =>
  runs.filter(({ failures }) => failures.length === 0).length;

/** How many scenarios have come to this. */
export const countOf = ({ scenarios }: ReportedTest, outcome: ScenarioOutcome): number =>
  scenarios.filter((one) => one.outcome === outcome).length;
