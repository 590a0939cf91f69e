import type { CallRecord } from '../../call/call-record.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { ModelQuestion } from './model-script.js';

/** What is known of a call of a scenario once it is over. */
export interface CallStory {
  /** Undefined when the runner has not heard of it. */
  readonly record: CallRecord | undefined;
  /** In the order of their times. */
  readonly events: readonly TimelineEvent[];
  /** When time begins to count: the answer, milliseconds since the Unix epoch; undefined when the call was not answered. */
  readonly answeredAt: number | undefined;
  /** From the answer to the end, in milliseconds. */
  readonly lengthMs: number;
  /** How late audio came to the caller at worst, in milliseconds; undefined where it is not known. */
  readonly lineLateMs?: number | undefined;
  /** The caller's keys that the bot has received, in order: see `receivedKeys`. */
  readonly receivedKeys: string;
  /** From the answer on, 8000 Hz, both as long: what the caller said, without what the line did to it, and what the caller heard. */
  readonly audio: { readonly caller: Int16Array; readonly bot: Int16Array } | undefined;
  /** The keys that the caller has pressed, in order. Default: none. */
  readonly pressed?: string | undefined;
  /** What the scripted model was asked, with the time of each since the Unix epoch. */
  readonly questions: ReadonlyArray<ModelQuestion & { readonly at: number }>;
  /** What the runner has written to its log meanwhile, as it writes by default: a line each. */
  readonly log: readonly string[];
  /** The text that its folder has. */
  readonly files: ReadonlyArray<{ readonly name: string; readonly text: string }>;
  /** When the test has killed a bot of it, milliseconds since the Unix epoch. */
  readonly killedAt: readonly number[];
  /** What went wrong beside the expectations: steps that were not done, questions without an answer, faults that never came. */
  readonly faults: readonly Failure[];
}

/** What a failure says, in a few words: of the command before the call, which then was not made, or of the bot. The gravest is the first. */
export const KIND_WORDS = {
  before_failed: 'the command before the call failed',
  never_started: 'the bot never started',
  broke: 'the bot broke',
  answered_wrongly: 'the bot answered wrongly',
} as const;

export type FailureKind = keyof typeof KIND_WORDS;

/** An expectation that does not hold. */
export interface Failure {
  /** Default `answered_wrongly`. */
  readonly kind?: FailureKind | undefined;
  /** Its field, such as `heard`. */
  readonly field: string;
  /** In words, such as `"closed on Sunday"`. */
  readonly expected: string;
  readonly happened: string;
  /** When, in milliseconds since the answer, where that is known. */
  readonly atMs?: number | undefined;
}

/** What a call measures. Times are milliseconds. */
export interface Measures {
  /** From the answer to the first sound of the bot; undefined when there was none. */
  readonly firstWordMs: number | undefined;
  /** From the last sound of each thing that the caller said to the first sound of the answer that they heard. */
  readonly answersMs: readonly number[];
  /** The longest that neither side was heard, and when that began. */
  readonly silence: { readonly ms: number; readonly atMs: number };
}

/** What came later than it would have on a machine with nothing else to do. Milliseconds of the call. */
export interface Lateness {
  /** `line`: the audio between the telephones; `speech`: the bot's, in the middle of a sentence; `answer`: the bot's first sound. */
  readonly of: 'line' | 'speech' | 'answer';
  readonly ms: number;
}

/** A run at more than the speed of a telephone that does not count: the scenario was run again in real time. */
export interface RunAtSpeed {
  /** Times the speed of a telephone. */
  readonly speed: number;
  /** What did not hold. */
  readonly failures: readonly Failure[];
  /** Why it says nothing about the bot; undefined: it does. */
  readonly late: Lateness | undefined;
}

/** One run of a scenario. */
export interface ScenarioRun {
  /** From 1. */
  readonly no: number;
  /** The runner's identifier. */
  readonly callId: string | undefined;
  /** Absolute path of the call's folder, where there is one. */
  readonly folder: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** So many calls; default 1. */
  readonly calls?: number;
  readonly lengthMs: number;
  readonly measures: Measures;
  /** In the order of their times. */
  readonly events: readonly TimelineEvent[];
  /** As of {@link CallStory}, of all its calls. */
  readonly receivedKeys: string;
  /** The last that was said and done in it, a line each. */
  readonly lines: readonly string[];
  /** Empty: it has passed. */
  readonly failures: readonly Failure[];
  /** That the machine was too slow for a call at speed; undefined: it was not. */
  readonly late?: Lateness | undefined;
  /** Times the speed of a telephone; undefined: that speed, real time. */
  readonly speed?: number | undefined;
  /** The run before this one, which was too fast. */
  readonly atSpeed?: RunAtSpeed | undefined;
}

/** What all failures of a call together say of the bot; undefined where there is none. */
export function kindOf(failures: readonly Failure[]): FailureKind | undefined {
  if (failures.length === 0) return undefined;
  const kinds = Object.keys(KIND_WORDS) as FailureKind[];
  return kinds.find((kind) => failures.some((one) => one.kind === kind)) ?? 'answered_wrongly';
}
