import { type Frame, type FrameDirection, FrameProcessor, InputAudioFrame, OutputAudioFrame } from 'voicebot/pipeline';

/** Says back what it hears. */
export class Echo extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    const isHeard = frame instanceof InputAudioFrame;
    this.push(isHeard ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
  }
}
