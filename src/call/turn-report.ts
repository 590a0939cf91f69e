/** How long the caller waited for one answer, and what for: from their last sound to the first sound that they heard. All in milliseconds since {@link since}. */
export interface TurnReport {
  /** Counts the turns of the bot, from 1. */
  readonly turn: number;
  /** What the times count from: the caller's last sound, or that the model was asked for a turn the bot began by itself. */
  readonly since: 'caller_stopped' | 'model_requested';
  /** 0 when they were there before. */
  readonly finalTranscriptMs?: number;
  readonly modelRequestedMs?: number;
  readonly firstTokenMs?: number;
  readonly speechRequestedMs?: number;
  readonly firstAudioMs?: number;
  /** The first sound of the answer that the caller hears, about. */
  readonly firstReleasedMs?: number;
  readonly wasInterrupted: boolean;
  /**
   * Questions that were asked before it was known that the caller had finished; missing where none was. `isKept`: the answer to the last
   * of them is this one. `droppedTokens`: what the model wrote for the others, in tokens.
   */
  readonly early?: { readonly asked: number; readonly isKept: boolean; readonly droppedTokens: number };
}

/** The steps of a turn, in order. */
export const TURN_STEPS = [
  'finalTranscript',
  'modelRequested',
  'firstToken',
  'speechRequested',
  'firstAudio',
  'firstReleased',
] as const;

/** What the caller waited for until a step of a turn was done; both in milliseconds of the report. */
export interface TurnWait {
  readonly step: (typeof TURN_STEPS)[number];
  readonly from: number;
  readonly to: number;
}

/** What the caller waited for, one after the other. A step that was done before the one before it took no time: a model that is asked early. */
export function waitsIn(report: TurnReport): readonly TurnWait[] {
  let from = report.since === 'caller_stopped' ? 0 : undefined;
  return TURN_STEPS.flatMap((step): TurnWait[] => {
    const done = report[`${step}Ms`];
    if (done === undefined) return [];
    const wait = from === undefined ? [] : [{ step, from, to: Math.max(from, done) }];
    from = Math.max(from ?? done, done);
    return wait;
  });
}

const WORDS: Record<(typeof TURN_STEPS)[number], string> = {
  finalTranscript: 'transcript',
  modelRequested: 'model asked',
  firstToken: 'first token',
  speechRequested: 'voice asked',
  firstAudio: 'first audio',
  firstReleased: 'heard',
};

/** A turn as a line of text: when each step was done. */
export function lineOf(report: TurnReport): string {
  const steps = TURN_STEPS.flatMap((step) => {
    const ms = report[`${step}Ms`];
    return ms === undefined ? [] : [`${WORDS[step]} +${Math.round(ms)} ms`];
  });
  const since = report.since === 'caller_stopped' ? "the caller's last sound" : 'the bot began';
  const early = report.early && report.early.asked > (report.early.isKept ? 1 : 0) ? overtaken(report.early) : '';
  return `turn ${report.turn}: ${since}, ${steps.join(', ')}${early}${report.wasInterrupted ? ', interrupted' : ''}`;
}

function overtaken({ asked, isKept, droppedTokens }: NonNullable<TurnReport['early']>): string {
  return `, ${asked - (isKept ? 1 : 0)} early answers not used (${droppedTokens} tokens)`;
}
