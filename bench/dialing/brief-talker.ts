import { EndFrame, type RunnerArguments } from 'voicebot';
import {
  type Frame,
  type FrameDirection,
  FrameProcessor,
  OutputAudioFrame,
  StartFrame,
  ToneSource,
} from 'voicebot/pipeline';
import { openTransport, pipelineOn } from '../bots/pipeline-on.js';

const RATE = 8_000;
const SPEECH_MS = 200;

/** Says something short and hangs up. */
class BriefTalker extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
    if (!(frame instanceof StartFrame)) return;
    this.push(new OutputAudioFrame(ToneSource.hold(RATE).read((RATE * SPEECH_MS) / 1_000), RATE));
    this.push(new EndFrame());
  }
}

export async function bot(args: RunnerArguments): Promise<void> {
  await pipelineOn(args, await openTransport(args, 'Talker'), new BriefTalker());
}
