import {
  CarrierFrameSerializer,
  EndFrame,
  Pipeline,
  PipelineTask,
  parseTelephonyWebSocket,
  type RunnerArguments,
  WebSocketTransport,
} from 'voicebot';
import { type Frame, type FrameDirection, FrameProcessor, OutputAudioFrame, StartFrame } from 'voicebot/pipeline';

/** Does what the call's query says: transfers to `to`, says what came of it, and ends. */
export async function bot(args: RunnerArguments): Promise<void> {
  if (args.transport !== 'carrier') throw new Error('a carrier call');
  const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(args.websocket);
  const { CARRIER_AUTH_ID: authId, CARRIER_AUTH_TOKEN: authToken } = process.env;
  const serializer = new CarrierFrameSerializer({ streamId, callId, authId, authToken });
  const transport = new WebSocketTransport(args.websocket, { serializer });
  const tell = (what: object) =>
    console.error(JSON.stringify({ call: args.call.id, attempt: args.call.attempt, ...what }));
  transport.on('dialout_answered', (_transport, data) => tell({ event: 'dialout_answered', ...data }));
  transport.on('disconnected', () => tell({ event: 'disconnected' }));
  const { to = '', meanwhile = 'wait' } = args.query;

  class Transferrer extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
      this.push(frame, direction);
      if (!(frame instanceof StartFrame)) return;
      this.#say();
      if (args.call.attempt === 1) void this.#transfer();
      else this.push(new EndFrame());
    }

    async #transfer(): Promise<void> {
      const transferring = transport.sipCallTransfer({ toEndPoint: to }).then(
        (outcome) => outcome,
        ({ code }: { code: string }) => ({ status: 'refused', code }),
      );
      if (meanwhile === 'crash') setTimeout(() => process.exit(1), 700);
      if (meanwhile === 'hang_up') setTimeout(() => this.push(new EndFrame()), 700);
      tell({ event: 'outcome', ...(await transferring) });
      this.#say();
      this.push(new EndFrame());
    }

    /** A tone of 0.2 s. */
    #say(): void {
      const pcm = Int16Array.from({ length: 1_600 }, (_, n) => 8_000 * Math.sin(n / 3));
      this.push(new OutputAudioFrame(pcm, 8_000));
    }
  }

  const pipeline = new Pipeline([transport.input(), new Transferrer(), transport.output()]);
  await new PipelineTask(pipeline, { signal: args.signal }).run();
  tell({ event: 'done' });
}
