import { type MutationOf, mutationOf, noteMutation } from '../../call/mutation.js';
import type { CallTimeline } from '../../call/timeline.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  EndFrame,
  type Frame,
  StartFrame,
  UserStoppedSpeakingFrame,
} from '../pipeline/frames/index.js';

/** Ends the call of a bot that a test breaks so, when the bot has answered what the caller has first said or pressed. */
export class EarlyHangUp {
  #hasHeard = false;
  #isAnswering = false;
  #isDone = false;

  private constructor(
    private readonly mutation: MutationOf<'hangs_up_early'>,
    private readonly push: (frame: Frame) => void,
  ) {}

  /** Undefined where no test breaks the bot so. @param push sends a frame through the whole pipeline */
  static ofThisProcess(push: (frame: Frame) => void): EarlyHangUp | undefined {
    const mutation = mutationOf('hangs_up_early');
    return mutation && new EarlyHangUp(mutation, push);
  }

  /** The caller has said or pressed something. */
  heard(): void {
    this.#hasHeard = true;
  }

  /** A frame has come to the head of the pipeline. */
  see(frame: Frame, timeline: CallTimeline | undefined): void {
    if (frame instanceof StartFrame) frame.standIns?.typed.on('sentence', () => this.heard());
    else if (frame instanceof UserStoppedSpeakingFrame) this.heard();
    else if (frame instanceof BotStartedSpeakingFrame) this.#isAnswering = this.#hasHeard;
    else if (frame instanceof BotStoppedSpeakingFrame && this.#isAnswering && !frame.wasInterrupted)
      this.#hangUp(timeline);
  }

  #hangUp(timeline: CallTimeline | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    noteMutation(timeline, this.mutation);
    this.push(new EndFrame());
  }
}
