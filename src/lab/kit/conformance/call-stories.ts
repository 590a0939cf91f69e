import assert from 'node:assert/strict';
import { acceptCall } from '../../../bot/api/accept-call.js';
import type { Call } from '../../../bot/api/call.js';
import { OutputAudioFrame } from '../../../bot/pipeline/frames/index.js';
import type { BotFunction } from '../../../call/runner-arguments.js';
import { FakePhone, type FakePhoneOptions } from '../fake-phone.js';
import { type ConformanceStory, closing, type Tried } from './carrier-fixtures.js';

const tone = (hertz: number, seconds: number) =>
  new OutputAudioFrame(
    Int16Array.from({ length: 8_000 * seconds }, (_, n) => 8_000 * Math.sin((n * hertz * Math.PI) / 4_000)),
    8_000,
  );

/** A bot that does this with each call. */
const botThat =
  (serve: (call: Call) => Promise<unknown>): BotFunction =>
  async (args) => {
    const call = await acceptCall(args);
    await serve(call);
    await call.ended;
  };

/** Whole calls over the wire of the carrier, on the sandbox. */
export function callStories({ extension: { carrier } }: Tried): ConformanceStory[] {
  const called = (
    serve: (call: Call) => Promise<unknown>,
    play: (phone: FakePhone) => Promise<void>,
    options: FakePhoneOptions = {},
  ) => closing(FakePhone.call(botThat(serve), { ...options, carrier: carrier.name }), play);
  return [
    {
      title: 'a bot answers, is heard, knows who calls, and hangs up',
      async play() {
        let told: unknown;
        await called(
          async (call) => {
            told = { from: call.from, to: call.to, direction: call.direction };
            assert.equal(await call.say(tone(600, 0.5)), true);
            await call.hangUp();
          },
          async (phone) => {
            await phone.hears();
            const { botError, reason } = await phone.ended;
            assert.equal(botError, undefined);
            assert.equal(reason, 'bot_ended');
          },
        );
        assert.deepEqual(told, { from: '+12025550199', to: '+12025550100', direction: 'inbound' });
      },
    },
    {
      title: 'a caller hangs up, and the bot is told',
      async play() {
        let ended: unknown;
        await called(
          async (call) => {
            await call.say(tone(600, 0.3));
            ended = await call.ended;
          },
          async (phone) => {
            await phone.hears();
            phone.hangUp();
            assert.equal((await phone.ended).reason, 'caller_hung_up');
          },
        );
        assert.equal(ended, 'caller_hung_up');
      },
    },
    {
      title: 'keys come in the order in which they are pressed',
      play: () =>
        called(
          async (call) => {
            let keys = '';
            call.on('dtmf', ({ digit }) => {
              keys += digit;
              if (keys === '12#*0') void call.hangUp();
            });
            await call.say(tone(600, 0.3));
          },
          async (phone) => {
            await phone.hears();
            for (const key of ['1', '2', '#', '*', '0'] as const) phone.press(key);
            assert.equal((await phone.ended).reason, 'bot_ended');
          },
        ),
    },
    {
      title: 'what is interrupted stops at once, and its end is told',
      play: () =>
        called(
          async (call) => {
            call.on('dtmf', () => void call.interrupt());
            assert.equal(await call.say(tone(400, 30)), false);
            await call.say(tone(600, 0.3));
            await call.hangUp();
          },
          async (phone) => {
            await phone.hears();
            phone.press('1');
            const { durationMs } = await phone.ended;
            assert.ok(durationMs < 20_000, `the call took ${durationMs} ms: what was dropped was played`);
          },
        ),
    },
    {
      title: 'the bot presses keys, on the stream or as tones',
      play: () =>
        called(
          async (call) => {
            await call.press('12#');
            await call.say(tone(600, 0.3));
            await call.hangUp();
          },
          async (phone) => {
            await phone.ended;
            if (carrier.capabilities.pressesKeys) assert.equal(phone.pressed, '12#');
            else assert.ok(phone.heard.some((sample) => sample !== 0));
          },
        ),
    },
    {
      title: 'a caller comes back from a transfer that came to nothing, to the same bot',
      async play() {
        if (!carrier.capabilities.transfersCalls) return;
        const told: unknown[] = [];
        await called(
          async (call) => {
            await call.say(tone(600, 0.3));
            told.push((await call.transfer('+12025550102')).status);
            assert.equal(await call.say(tone(600, 0.3)), true);
            await call.hangUp();
          },
          async (phone) => assert.equal((await phone.ended).botError, undefined),
          { transfer: () => 'busy' },
        );
        assert.deepEqual(told, ['busy']);
      },
    },
    {
      title: 'a caller who is transferred leaves the bot',
      async play() {
        if (!carrier.capabilities.transfersCalls) return;
        const told: unknown[] = [];
        await called(
          async (call) => {
            await call.say(tone(600, 0.3));
            told.push((await call.transfer('+12025550101')).status);
          },
          async (phone) => {
            await phone.hears();
            await phone.hearsSilence({ forMs: 1_000 });
            phone.hangUp();
            assert.equal((await phone.ended).botError, undefined);
          },
          { transfer: () => 'answered' },
        );
        assert.deepEqual(told, ['answered']);
      },
    },
  ];
}
