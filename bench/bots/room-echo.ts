import { Pipeline, PipelineTask, parseRoomsDialinRequest, RoomsTransport, type RunnerArguments } from 'voicebot';
import { type Frame, type FrameDirection, FrameProcessor, InputAudioFrame, OutputAudioFrame } from 'voicebot/pipeline';

const audioInSampleRate = Number(process.env.SAMPLE_RATE);

/** Says back what it hears. */
class Echo extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    const isHeard = frame instanceof InputAudioFrame;
    this.push(isHeard ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
  }
}

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'rooms') throw new Error('this bot answers calls in rooms');
  const request = parseRoomsDialinRequest(args.body);
  const { call_id: callId, call_domain: callDomain } = request.dialin_settings;
  const transport = new RoomsTransport(args.room_url, args.token, 'Echo', {
    apiKey: request.daily_api_key,
    apiUrl: request.daily_api_url,
    dialinSettings: { callId, callDomain },
  });
  const pipeline = new Pipeline([transport.input(), new Echo(), transport.output()]);
  await new PipelineTask(pipeline, { audioInSampleRate, signal: args.signal, idleTimeoutMs: 0 }).run();
}
