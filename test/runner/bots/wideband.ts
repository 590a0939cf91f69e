import { acceptCall, type RunnerArguments } from 'voicebot';
import { type Frame, type FrameDirection, FrameProcessor, InputAudioFrame, OutputAudioFrame } from 'voicebot/pipeline';

/** Says a tone of 1000 Hz and ends the call when it has heard somebody; tells at what rate. */
export async function bot(args: RunnerArguments): Promise<void> {
  const call = await acceptCall(args);
  let isHeard = () => {};
  const somebody = new Promise<void>((resolve) => {
    isHeard = resolve;
  });
  const rates = new Set<string>();

  class Ear extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void {
      if (frame instanceof InputAudioFrame) {
        rates.add(`${frame.pcm.length} at ${frame.sampleRate}`);
        if (frame.pcm.some((sample) => Math.abs(sample) > 3_000)) isHeard();
      }
      this.push(frame, direction);
    }
  }

  const running = call.run([new Ear(), call.output]);
  const pcm = Int16Array.from({ length: 24_000 }, (_, n) => 8_000 * Math.sin((2 * Math.PI * 1_000 * n) / 24_000));
  await call.say(new OutputAudioFrame(pcm, 24_000));
  await somebody;
  console.error(JSON.stringify({ rates: [...rates] }));
  await call.hangUp();
  await running;
}
