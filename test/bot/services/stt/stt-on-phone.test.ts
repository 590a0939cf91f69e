import { encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import {
  EndFrame,
  type Frame,
  type FrameDirection,
  TranscriptionFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../../../src/bot/pipeline/index.js';
import { DeepgramSTT } from '../../../../src/bot/services/stt/deepgram-stt.js';
import { CarrierFrameSerializer } from '../../../../src/bot/transports/stream/carrier-frame-serializer.js';
import { parseTelephonyWebSocket } from '../../../../src/bot/transports/stream/parse-telephony-websocket.js';
import { WebSocketTransport } from '../../../../src/bot/transports/stream/websocket-transport.js';
import type { BotFunction } from '../../../../src/index.js';
import { FakeDeepgram, FakePhone } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

/** Ends the call when it has been told goodbye. */
class Clerk extends FrameProcessor {
  constructor(readonly heard: string[]) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TranscriptionFrame) {
      this.heard.push(frame.text);
      if (frame.text === 'Goodbye.') this.push(new EndFrame());
    }
    this.push(frame, direction);
  }
}

test('what a caller says arrives at the provider byte for byte, and comes back as words', async () => {
  await using deepgram = await FakeDeepgram.start({ texts: ['I have a question.', 'Goodbye.'] });
  const heard: string[] = [];
  const bot: BotFunction = async (args) => {
    if (args.transport !== 'carrier') throw new Error('expected a carrier call');
    const [, { stream_id, call_id }] = await parseTelephonyWebSocket(args.websocket);
    const serializer = new CarrierFrameSerializer({ streamId: stream_id, callId: call_id });
    const transport = new WebSocketTransport(args.websocket, { serializer });
    const stt = new DeepgramSTT({ apiKey: 'test', baseUrl: deepgram.url });
    const pipeline = new Pipeline([transport.input(), stt, new Clerk(heard), transport.output()]);
    await new PipelineTask(pipeline, { signal: args.signal }).run();
  };
  await using phone = await FakePhone.call(bot);
  const question = Int16Array.from({ length: 8 * 600 }, (_, i) => (10_000 - i) * Math.sin(i / 3));
  phone.say(new Int16Array(8 * 500)); // what is said before the stream is there is lost, as on the telephone
  phone.say(question);
  phone.say(new Int16Array(8 * 500));
  phone.say(question.slice(0, 8 * 200));
  const { botError } = await phone.ended;
  expect(botError).toBeUndefined();
  expect(heard).toEqual(['I have a question.', 'Goodbye.']);
  await deepgram.session.closed;
  expect(deepgram.session.messages).toEqual(['CloseStream']);
  const wire = encodeMulaw(question).map((code) => (code === 0x7f ? 0xff : code)); // the two zeros of mu-law
  expect(deepgram.session.audio.indexOf(wire)).toBeGreaterThanOrEqual(0);
});
