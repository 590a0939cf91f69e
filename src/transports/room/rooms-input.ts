import type { DtmfDigit } from '../../audio/dtmf-digit.js';
import { DtmfFrame, type Frame, type FrameDirection, StartFrame } from '../../pipeline/frames/index.js';
import { CallInput } from '../call-input.js';
import { roomSampleRate } from './room-wire.js';

/** Turns what happens in a room into frames. */
export class RoomsInput extends CallInput {
  constructor(
    private readonly isEnabled: boolean,
    /** Told once, when the pipeline starts; `sampleRate` is that of the room's audio, in hertz. */
    private readonly onStart: (sampleRate: number) => void,
  ) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    if (!(frame instanceof StartFrame)) return;
    const sampleRate = roomSampleRate(frame);
    this.listen(sampleRate, frame.audioInSampleRate);
    this.onStart(sampleRate);
  }

  /** @param pcm 20 ms at the rate of the room's audio */
  hear(pcm: Int16Array): void {
    if (this.isEnabled) this.pushAudio(pcm);
  }

  press(digit: DtmfDigit): void {
    this.push(new DtmfFrame(digit));
  }

  /** A fatal error ends the pipeline with it. */
  fail(error: Error, isFatal: boolean): void {
    this.pushError(error, isFatal);
  }
}
