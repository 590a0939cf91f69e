import type { BargeInListener } from './barge-in.js';

/** Monotonic, in milliseconds; undefined when unknown. */
export interface CallerTimes {
  /** The caller's last sound. */
  readonly stoppedAt: number | undefined;
  /** Their last final words arrived. */
  readonly finalAt: number | undefined;
}

export interface TurnTakingListener extends Omit<BargeInListener, 'bargedIn'> {
  callerStarted(): void;
  /** @param stoppedAt when their last sound was, monotonic, in milliseconds */
  callerStopped(stoppedAt: number): void;
  /** The caller is silent, and has perhaps finished: an answer to these words may be wanted. The words before are overtaken. */
  mayHaveFinished(text: string, times: CallerTimes): void;
  /** An answer that was asked for is not wanted: the caller has said more. */
  overtaken(): void;
  /**
   * The caller has taken the floor: what the bot is saying is not wanted any more.
   * @param hadNotFinished the caller goes on with the turn that the bot has begun to answer: the bot was too early
   */
  bargedIn(hadNotFinished: boolean): void;
  /** What the caller says does not count any more, or counts again. */
  muted(isMuted: boolean): void;
  /** What the caller has said is not answered: it was a sound, or a word that does not stop the bot. */
  passedOver(): void;
  /** The caller has finished. @param text empty where only the model has heard them, and their words come later */
  turnEnded(text: string, times: CallerTimes): void;
  /**
   * The caller has finished, and nothing was understood.
   * @param hasBargedIn and yet the bot was stopped
   * @param hadWords words were told and taken back
   */
  nothingSaid(hasBargedIn: boolean, hadWords: boolean): void;
}
