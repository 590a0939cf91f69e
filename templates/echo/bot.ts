import {
  CarrierFrameSerializer,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  type RunnerArguments,
  WebSocketTransport,
} from 'voicebot';

/** Says back what it hears. */
class Echo extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    const isHeard = frame instanceof InputAudioFrame;
    this.push(isHeard ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
  }
}

export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('this bot answers calls of a carrier');
  const [, { stream_id, call_id }] = await parseTelephonyWebSocket(args.websocket);
  const transport = new WebSocketTransport(args.websocket, {
    audioInEnabled: true,
    audioOutEnabled: true,
    addWavHeader: false,
    serializer: new CarrierFrameSerializer({
      streamId: stream_id,
      callId: call_id,
      authId: process.env.CARRIER_AUTH_ID,
      authToken: process.env.CARRIER_AUTH_TOKEN,
    }),
  });
  const pipeline = new Pipeline([transport.input(), new Echo(), transport.output()]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
}
