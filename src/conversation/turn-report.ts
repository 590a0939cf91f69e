import type { TurnTimes } from '../pipeline/frames/index.js';

/** How long the caller waited for one answer, and what for. All in milliseconds since {@link since}. */
export interface TurnReport {
  /** Counts the turns of the bot, from 1. */
  readonly turn: number;
  /** What the times count from: the caller fell silent, or the model was asked for a turn the bot began by itself. */
  readonly since: 'caller_stopped' | 'model_requested';
  /** 0 when they were there before. */
  readonly finalTranscriptMs?: number;
  readonly modelRequestedMs?: number;
  readonly firstTokenMs?: number;
  readonly speechRequestedMs?: number;
  readonly firstAudioMs?: number;
  /** The caller begins to hear the answer about now. */
  readonly firstReleasedMs?: number;
  readonly wasInterrupted: boolean;
}

const STEPS = [
  'finalTranscript',
  'modelRequested',
  'firstToken',
  'speechRequested',
  'firstAudio',
  'firstReleased',
] as const;

const WORDS: Record<(typeof STEPS)[number], string> = {
  finalTranscript: 'transcript',
  modelRequested: 'model asked',
  firstToken: 'first token',
  speechRequested: 'voice asked',
  firstAudio: 'first audio',
  firstReleased: 'released',
};

/** Undefined for a turn in which nothing was asked of anybody. */
export function reportOf(turn: number, times: TurnTimes, wasInterrupted: boolean): TurnReport | undefined {
  const start = times.callerStopped ?? times.modelRequested;
  if (start === undefined) return undefined;
  const steps = STEPS.flatMap((step) => {
    const at = times[step];
    return at === undefined ? [] : [[`${step}Ms`, Math.round(Math.max(0, at - start) * 10) / 10]];
  });
  const since = times.callerStopped === undefined ? 'model_requested' : 'caller_stopped';
  return { turn, since, ...Object.fromEntries(steps), wasInterrupted };
}

/** The same as a line of a log: what each step took, one after the other. */
export function lineOf(report: TurnReport): string {
  const steps = STEPS.flatMap((step) => {
    const ms = report[`${step}Ms`];
    return ms === undefined ? [] : [`${WORDS[step]} +${Math.round(ms)} ms`];
  });
  const since = report.since === 'caller_stopped' ? 'the caller stopped' : 'the bot began';
  return `turn ${report.turn}: ${since}, ${steps.join(', ')}${report.wasInterrupted ? ', interrupted' : ''}`;
}
