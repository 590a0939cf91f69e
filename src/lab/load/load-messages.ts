import type { EndReason } from '../../call/call.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { ToldEnd } from './load-ends.js';
import type { LoadCall, LoadOutcome } from './load-figures.js';

/** Who calls, how long, and how soon one after the other. Times are milliseconds. */
export interface LoadOrder {
  readonly calls: number;
  /** Between the beginnings of two calls, at least. */
  readonly everyMs: number;
  /** A runner that is asked before each call whether a bot waits for it. Default: no runner is asked. */
  readonly runnerUrl?: string;
  /** Each call counts as over when `told` has come of it. Default: at its end. */
  readonly hasRunner?: boolean;
  /** They stay until they are told to hang up, and their number may be changed. They come no faster than the bot greets them. Default false. */
  readonly stays?: boolean;
  /** From the answer on; undefined until they are told to hang up, or up to the limit of the scenario. */
  readonly lengthMs: number | undefined;
  /** Absolute path of a file with one scenario, whose caller calls. Default: one who says {@link words} whenever it is their turn. */
  readonly scenarioFile?: string | undefined;
  readonly words: string;
}

/** To the process of the callers. */
export type CallersRequest =
  | ({ readonly type: 'begin' } & LoadOrder)
  /** Gaps count from now on. */
  | { readonly type: 'count_afresh' }
  | { readonly type: 'hang_up' }
  /** Of callers who stay: so many are to be live. More dial, or the newest hang up; those that are over count no more. */
  | { readonly type: 'resize'; readonly calls: number; readonly everyMs: number }
  | { readonly type: 'stop_dialling' }
  /** What has become of the calls until now? */
  | { readonly type: 'count' }
  /** What has happened in a call, for callers who act upon words. */
  | { readonly type: 'noted'; readonly callId: string; readonly event: TimelineEvent }
  /** How a call ended, after everything that is to be noted in it. */
  | { readonly type: 'told'; readonly callId: string; readonly end: ToldEnd };

/** A call that went wrong. */
export interface WrongCall {
  readonly outcome: Exclude<LoadOutcome, 'live' | 'done'>;
  /** From the answer to its end, in milliseconds. */
  readonly lengthMs: number;
  /** As the runner tells it; undefined where no runner of ours does. */
  readonly reason: EndReason | undefined;
}

/** What happened in the last second. */
export interface CallersSecond {
  readonly dialled: number;
  readonly live: number;
  readonly over: number;
  /** Calls that went wrong so far. */
  readonly wrong: number;
  /** Heard in the last second. */
  readonly firstWordsMs: readonly number[];
  readonly heardMs: number;
  readonly missingMs: number;
  /** Processor time of the process of the callers, in per cent of a core. */
  readonly cpuPercent: number;
}

/** From the process of the callers. */
export type CallersNews =
  | ({ readonly type: 'second' } & CallersSecond)
  /** No caller dials any more: all have, or were told to stop. Callers who were to leave have left. */
  | { readonly type: 'all_dialled' }
  | { readonly type: 'counted'; readonly calls: readonly LoadCall[] }
  /** All have dialled, and of those that go on each has heard the bot. */
  | { readonly type: 'all_heard' }
  | { readonly type: 'ringing'; readonly callId: string }
  | { readonly type: 'said'; readonly callId: string; readonly text: string }
  | { readonly type: 'call_over'; readonly callId: string | undefined }
  | ({ readonly type: 'wrong' } & WrongCall)
  /** All calls are over. */
  | { readonly type: 'all_over'; readonly calls: readonly LoadCall[] }
  | { readonly type: 'failed'; readonly message: string; readonly code: string };
