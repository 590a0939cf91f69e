import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { settlesWithin } from '../../src/base/async/deadline.js';
import {
  DtmfFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  OutputAudioFrame,
} from '../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../src/bot/pipeline/index.js';
import { CarrierFrameSerializer } from '../../src/bot/transports/stream/carrier-frame-serializer.js';
import { parseTelephonyWebSocket } from '../../src/bot/transports/stream/parse-telephony-websocket.js';
import { WebSocketTransport } from '../../src/bot/transports/stream/websocket-transport.js';
import { listen, media, openStream, START } from '../bot/transports/fake-stream.js';

/** Longest wait for anything the bot does at once, in milliseconds. */
const SOON_MS = 10_000;

/** Says back what it hears; a key makes it forget what it has not said yet. */
class Echo extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof DtmfFrame) this.interrupt();
    const isHeard = frame instanceof InputAudioFrame;
    this.push(isHeard ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
  }
}

/** A call with an echo bot over a real socket, as its carrier sees it. */
export class LiveCall implements AsyncDisposable {
  /** Whether the bot's pipeline is over. */
  isEnded = false;
  #chunk = 0;

  static async open(): Promise<LiveCall> {
    return new LiveCall(await openStream());
  }

  private constructor(private readonly stream: Awaited<ReturnType<typeof openStream>>) {
    const end = () => {
      this.isEnded = true;
    };
    this.#serve().then(end, end);
    stream.carrier.send(JSON.stringify(START));
  }

  /** Resolves when the bot has read them all, or its socket is closed. */
  async send(messages: readonly string[]): Promise<void> {
    const { carrier } = this.stream;
    for (const message of messages) carrier.send(message);
    if (carrier.readyState !== carrier.OPEN) return;
    const settled = new AbortController();
    const events = ['pong', 'close'].map((event) => once(carrier, event, { signal: settled.signal }));
    carrier.ping();
    await Promise.race(events);
    settled.abort();
    await Promise.allSettled(events);
  }

  /** Whether a frame of audio sent now comes back. */
  async echoes(): Promise<boolean> {
    const payload = Buffer.from(randomBytes(160).map((code) => code | 0x80)); // of the two codes for zero only one comes back
    const wanted = payload.toString('base64');
    const { carrier } = this.stream;
    const heard = listen(carrier).next((message) => message.media?.payload === wanted);
    carrier.send(JSON.stringify({ event: 'dtmf', dtmf: { digit: '1' } }));
    carrier.send(JSON.stringify(media(payload, ++this.#chunk)));
    const isHeard = await settlesWithin(heard, SOON_MS);
    carrier.removeAllListeners('message');
    return isHeard;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stream[Symbol.asyncDispose]();
  }

  async #serve(): Promise<void> {
    const { bot } = this.stream;
    const [, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(bot);
    const transport = new WebSocketTransport(bot, { serializer: new CarrierFrameSerializer({ streamId, callId }) });
    await new PipelineTask(new Pipeline([transport.input(), new Echo(), transport.output()])).run();
  }
}
