import {
  CarrierFrameSerializer,
  EndFrame,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  type RunnerArguments,
  WebSocketTransport,
} from 'voicebot';
import {
  type Frame,
  type FrameDirection,
  FrameProcessor,
  OutputAudioFrame,
  StartFrame,
  ToneSource,
} from 'voicebot/pipeline';

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
  if (args.transport !== 'carrier') throw new Error('this bot talks on calls of a carrier');
  const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
  const transport = new WebSocketTransport(args.websocket, {
    serializer: new CarrierFrameSerializer({ streamId, callId, authId, authToken }),
  });
  const pipeline = new Pipeline([transport.input(), new BriefTalker(), transport.output()]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
}
