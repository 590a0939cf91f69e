import { once } from 'node:events';
import { levelDb } from '../../../src/base/audio/level.js';
import { EndFrame, InputAudioFrame, OutputAudioFrame } from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../../src/bot/pipeline/index.js';
import { CarrierFrameSerializer } from '../../../src/bot/transports/stream/carrier-frame-serializer.js';
import { parseTelephonyWebSocket } from '../../../src/bot/transports/stream/parse-telephony-websocket.js';
import { WebSocketTransport } from '../../../src/bot/transports/stream/websocket-transport.js';
import type { BotEndReason } from '../../../src/call/call.js';
import type { Frame, FrameDirection } from '../../../src/doors/pipeline.js';
import type { BotFunction, RunnerArguments } from '../../../src/index.js';
import { FakePhone } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

class Echo extends FrameProcessor {
  override process(frame: Frame, direction: FrameDirection): void {
    this.push(frame instanceof InputAudioFrame ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
  }
}

const seen: RunnerArguments[] = [];
const echo: BotFunction = async (args) => {
  seen.push(args);
  if (args.transport !== 'carrier') throw new Error('expected a carrier call');
  const [, { stream_id, call_id }] = await parseTelephonyWebSocket(args.websocket);
  const serializer = new CarrierFrameSerializer({ streamId: stream_id, callId: call_id });
  const transport = new WebSocketTransport(args.websocket, { serializer });
  await new PipelineTask(new Pipeline([transport.input(), new Echo(), transport.output()]), {
    signal: args.signal,
  }).run();
};

const tone = (ms: number) => Int16Array.from({ length: ms * 8 }, (_, i) => 8_000 * Math.sin(i / 3));

test('a bot hears what is said and is heard, knows its call, and ends when the phone hangs up', async () => {
  await using phone = await FakePhone.call(echo, { from: '+12025550142', body: { user: 7 } });
  expect(phone.isHearing).toBe(false);
  phone.say(tone(400));
  await phone.hears();
  await phone.hearsSilence();
  expect(levelDb(phone.heard)).toBeGreaterThan(-40);
  phone.hangUp();
  const { botError } = await phone.ended;
  expect(botError).toBeUndefined();
  expect(seen[0]).toMatchObject({ body: { user: 7 }, call: { from: '+12025550142', to: '+12025550100', attempt: 1 } });
});

test('what a bot throws is in the end of its call', async () => {
  await using phone = await FakePhone.call(async () => {
    throw new RangeError('no such menu');
  });
  expect((await phone.ended).botError).toEqual(new RangeError('no such menu'));
});

test('waiting for a silent bot fails with a deadline', async () => {
  await using phone = await FakePhone.call(echo);
  await expect(phone.hears({ withinMs: 200 })).rejects.toMatchObject({ code: 'VB_DEADLINE_EXCEEDED' });
});

test('a phone that is disposed of leaves no call behind', async () => {
  let signalled = false;
  {
    await using phone = await FakePhone.call(async (args) => {
      if (args.transport !== 'carrier') return;
      await once(
        args.websocket.on('message', () => {}),
        'close',
      );
      signalled = true;
    });
    expect(phone.isHearing).toBe(false);
  }
  expect(signalled).toBe(true);
});

describe('the end of a call says why it is over', () => {
  /** Puts one frame into its pipeline. */
  const ending =
    (end: () => Frame): BotFunction =>
    async (args) => {
      if (args.transport !== 'carrier') throw new Error('expected a carrier call');
      const [, { stream_id, call_id }] = await parseTelephonyWebSocket(args.websocket);
      const serializer = new CarrierFrameSerializer({ streamId: stream_id, callId: call_id });
      const transport = new WebSocketTransport(args.websocket, { serializer });
      const task = new PipelineTask(new Pipeline([transport.input(), transport.output()]), { signal: args.signal });
      task.queueFrame(end());
      await task.run();
    };
  const throwing: BotFunction = async () => {
    throw new RangeError('no such menu');
  };

  test.each<[BotEndReason, BotFunction]>([
    ['bot_ended', ending(() => new EndFrame())],
    ['provider_error', ending(() => new EndFrame('provider_error'))],
    ['voicemail', ending(() => new EndFrame('voicemail'))],
    ['screened', ending(() => new EndFrame('screened'))],
  ])('%s, as the bot has said', async (reason, bot) => {
    await using phone = await FakePhone.call(bot);
    expect(await phone.ended).toMatchObject({ reason });
  });

  test('bot_crashed, when the bot threw', async () => {
    await using phone = await FakePhone.call(throwing);
    expect(await phone.ended).toMatchObject({ reason: 'bot_crashed' });
  });

  test('caller_hung_up, when the phone did', async () => {
    await using phone = await FakePhone.call(echo);
    phone.hangUp();
    expect(await phone.ended).toMatchObject({ reason: 'caller_hung_up' });
  });
});
