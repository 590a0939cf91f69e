/** When the steps between the caller's last word and the bot's first sound happened, in monotonic milliseconds. */
export interface TurnTimes {
  /** The caller fell silent. Absent in a turn that the bot began, such as a greeting. */
  callerStopped?: number;
  /** The last final transcript of what the caller said arrived. */
  finalTranscript?: number;
  /** The model was asked. */
  modelRequested?: number;
  /** The model's first piece of text arrived. */
  firstToken?: number;
  /** The first text went to the voice. */
  speechRequested?: number;
  /** The voice's first audio arrived. */
  firstAudio?: number;
  /** The first of that audio was released to the caller. */
  firstReleased?: number;
}

/** One turn of the bot. Travels with all frames of its answer; each step notes its time in it, once. */
export class Turn {
  readonly times: TurnTimes = {};

  /** @param id counts the turns of a conversation, from 1 */
  constructor(readonly id: number) {}

  /** Notes the time of a step, unless it has been noted. */
  mark(step: keyof TurnTimes, at = performance.now()): void {
    this.times[step] ??= at;
  }
}

/** One answer of the model; a turn has several when functions are called. */
export interface ModelResponse {
  /** Unique in its conversation. */
  readonly id: number;
  readonly turn: Turn;
}
