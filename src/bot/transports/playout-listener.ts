/** Who is told what a playout does. */
export interface PlayoutListener {
  started(): void;
  /** A frame has gone out. */
  released(): void;
  /** Of what was released since it started, so many frames came late, and left so many milliseconds of silence. Told before {@link PlayoutListener.stopped}. */
  late(frames: number, ms: number): void;
  /**
   * @param heardMs how much of the utterance was heard
   * @param heardUntilMs the same as a position in all audio of the playout
   */
  stopped(heardMs: number, wasInterrupted: boolean, heardUntilMs: number): void;
}
