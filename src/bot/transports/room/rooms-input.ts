import type { CallRunnerLink } from '../../../call/runner-link.js';
import type { StartFrame } from '../../pipeline/frames/index.js';
import { CallInput } from '../call-input.js';
import { roomSampleRate } from './room-wire.js';

/** Turns what happens in a room into frames. */
export class RoomsInput extends CallInput {
  constructor(
    isEnabled: boolean,
    link: CallRunnerLink | undefined,
    /** Told once, when the pipeline starts; `sampleRate` is that of the room's audio, in hertz. */
    private readonly onStart: (sampleRate: number) => void,
  ) {
    super(isEnabled, link);
  }

  protected override start(frame: StartFrame): void {
    const sampleRate = roomSampleRate(frame);
    this.listen(sampleRate, frame.audioInSampleRate);
    this.onStart(sampleRate);
  }

  /** @param pcm 20 ms at the rate of the room's audio */
  hear(pcm: Int16Array): void {
    this.pushAudio(pcm);
  }

  /** A fatal error ends the pipeline with it. */
  fail(error: Error, isFatal: boolean): void {
    this.pushError(error, isFatal);
  }
}
