import { levelDb } from '../../../src/base/audio/level.js';
import type { Call } from '../../../src/bot/api/index.js';
import { defineBot } from '../../../src/bot/api/index.js';
import {
  EndFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  OutputAudioFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../../src/bot/pipeline/index.js';
import { RoomsTransport } from '../../../src/bot/transports/room/rooms-transport.js';
import type { BotFunction } from '../../../src/index.js';
import { FakePhone, FakeRoom, type FakeRoomOptions } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';

/** Loads what a call in a room takes, which the hurrying clock would not wait for. */
beforeAll(async () => {
  await using phone = await FakeRoom.call(defineBot({ onCall: () => {} }));
  await phone.ended;
});

let clock: HastyClock;

beforeEach(() => {
  clock = new HastyClock();
});

afterEach(() => clock[Symbol.dispose]());

const tone = (ms: number) => Int16Array.from({ length: ms * 8 }, (_, i) => 8_000 * Math.sin(i / 3));
const sound = (ms: number) => new OutputAudioFrame(tone(ms), 8_000);
const LATE = { withinMs: 60_000 };

describe.each([
  ['FakePhone', FakePhone],
  ['FakeRoom', FakeRoom],
])('the same bot and %s', (_, Phone) => {
  const during = async (
    options: Pick<FakeRoomOptions, 'direction' | 'transfer' | 'body'>,
    onCall: (call: Call) => Promise<void>,
  ) => Phone.call(defineBot({ onCall }), options);

  test('the phone hears the bot and presses a key, and the bot hangs up', async () => {
    const heard: unknown[] = [];
    await using phone = await during({}, async (call) => {
      heard.push(await call.say(sound(400)), await call.listen({ keys: 1 }));
    });
    await phone.hears(LATE);
    expect(levelDb(phone.heard)).toBeGreaterThan(-40);
    phone.press('7');
    const { reason, botError } = await phone.ended;
    expect({ reason, botError, heard }).toEqual({
      reason: 'bot_ended',
      botError: undefined,
      heard: [true, { keys: '7' }],
    });
  });

  test('the bot hears the phone, which hangs up', async () => {
    class Echo extends FrameProcessor {
      override process(frame: Frame, direction: FrameDirection): void {
        const isHeard = frame instanceof InputAudioFrame;
        this.push(isHeard ? new OutputAudioFrame(frame.pcm, frame.sampleRate) : frame, direction);
      }
    }
    await using phone = await during({}, (call) => call.run([new Echo()]));
    phone.say(tone(20_000)); // the clock may hurry ahead of the bot's start
    await phone.hears(LATE);
    phone.hangUp();
    expect(await phone.ended).toEqual({ reason: 'caller_hung_up', durationMs: expect.any(Number) });
  });

  test('a call that the bot makes is answered, has its custom data, and keys that it presses', async () => {
    const seen: unknown[] = [];
    await using phone = await during({ direction: 'outbound', body: { user: 7 } }, async (call) => {
      seen.push(call.direction, call.to, call.body);
      await call.press('12#');
    });
    const { reason, botError } = await phone.ended;
    expect({ reason, botError, seen, pressed: phone.pressed }).toEqual({
      reason: 'bot_ended',
      botError: undefined,
      seen: ['outbound', '+12025550199', { user: 7 }],
      pressed: '12#',
    });
  });

  test.each(['answered', 'busy', 'no_answer', 'rejected', 'failed'] as const)(
    'a transfer that is %s',
    async (becomes) => {
      const told: unknown[] = [];
      const asked: string[] = [];
      const transfer = (to: string) => {
        asked.push(to);
        return becomes;
      };
      let settle = () => {};
      const settled = new Promise<void>((resolve) => {
        settle = resolve;
      });
      await using phone = await during({ transfer }, async (call) => {
        told.push((await call.transfer('+12025550101', { announce: sound(100) })).status, await call.say(sound(100)));
        settle();
      });
      if (becomes === 'answered') {
        await settled;
        await phone.hearsSilence({ forMs: 1_000, ...LATE });
        phone.hangUp();
      }
      const { reason, botError } = await phone.ended;
      const isAnswered = becomes === 'answered';
      const failed =
        Phone === FakeRoom // the provider has taken the caller away, and does not bring them back
          ? { reason: 'transfer_failed', told: ['caller_left', false] }
          : { reason: 'bot_ended', told: [becomes, true] };
      expect({ reason, botError, told, asked }).toEqual({
        ...(isAnswered ? { reason: 'transferred', told: ['answered', false] } : failed),
        botError: undefined,
        asked: ['+12025550101'],
      });
    },
  );

  test('a transfer that is refused', async () => {
    const told: unknown[] = [];
    await using phone = await during({}, async (call) => {
      told.push(await call.transfer('+12025550101'));
    });
    await phone.ended;
    expect(told).toEqual([expect.objectContaining({ status: 'refused', code: 'VB_TRANSFER_FAILED' })]);
  });

  test('a bot that throws', async () => {
    await using phone = await during({}, async () => {
      throw new RangeError('no such menu');
    });
    const { reason, botError } = await phone.ended;
    expect({ reason, botError }).toEqual({ reason: 'bot_crashed', botError: new RangeError('no such menu') });
  });
});

test.each(['busy', 'no_answer', 'rejected'] as const)(
  'a call out of a room that is %s ends before the bot has it',
  async (becomes) => {
    const seen: unknown[] = [];
    const bot = defineBot({ onCall: (call) => void seen.push(call) });
    await using phone = await FakeRoom.call(bot, { direction: 'outbound', dialout: () => becomes });
    const { reason, botError, durationMs } = await phone.ended;
    expect({ reason, botError, durationMs, seen }).toEqual({
      reason: becomes,
      botError: undefined,
      durationMs: 0,
      seen: [],
    });
  },
);

/** A bot that follows the specification, but for what is left out of `params`. */
const specificationBot =
  (params: object): BotFunction =>
  async (args) => {
    if (args.transport !== 'rooms') throw new Error('expected a room');
    const transport = new RoomsTransport(args.room_url, args.token, 'Bot', { apiKey: 'key', ...params });
    const task = new PipelineTask(new Pipeline([transport.input(), transport.output()]), { signal: args.signal });
    transport.on('participant_joined', () => task.queueFrame(new EndFrame()));
    await task.run();
  };

test('a bot that follows the specification is served, too', async () => {
  let request: unknown;
  const bot: BotFunction = async (args) => {
    request = args.body;
    const { daily_api_url: apiUrl, dialin_settings: settings } = args.body as never as Record<
      string,
      Record<string, string>
    >;
    await specificationBot({
      apiUrl,
      dialinSettings: { callId: settings?.call_id, callDomain: settings?.call_domain },
    })(args);
  };
  await using phone = await FakeRoom.call(bot, { from: '+12025550142' });
  expect((await phone.ended).reason).toBe('bot_ended');
  expect(request).toMatchObject({ dialin_settings: { From: '+12025550142' } });
});

test('a caller whom the bot does not fetch is sent away', async () => {
  await using phone = await FakeRoom.call(specificationBot({}), { from: '+12025550142' });
  const { reason, durationMs } = await phone.ended;
  expect({ reason, durationMs }).toEqual({ reason: 'not_connected', durationMs: 0 });
});
