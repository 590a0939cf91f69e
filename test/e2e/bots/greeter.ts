import {
  CarrierFrameSerializer,
  EndFrame,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  type RunnerArguments,
  WebSocketTransport,
} from 'voicebot';
import { OutputAudioFrame } from 'voicebot/pipeline';

/** Says who it was told to call, then a tone of four seconds, and ends the call. */
export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('a carrier call');
  const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
  const serializer = new CarrierFrameSerializer({ streamId, callId, authId, authToken });
  const transport = new WebSocketTransport(args.websocket, { serializer });
  console.error(`greets ${JSON.stringify({ to: args.call.to, body: args.body, query: args.query })}`);
  const task = new PipelineTask(new Pipeline([transport.input(), transport.output()]), { signal: args.signal });
  const pcm = Int16Array.from({ length: 4 * 8_000 }, (_, n) => 4_000 * Math.sin(n / 3));
  task.queueFrame(new OutputAudioFrame(pcm, 8_000));
  task.queueFrame(new EndFrame());
  await task.run();
}
