import type { BotOptions } from '../../../src/bot/api/define-bot.js';
import { defineBot } from '../../../src/bot/api/index.js';
import {
  type Frame,
  type FrameDirection,
  OutputAudioFrame,
  TTSSpeakFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { SttService } from '../../../src/bot/services/stt/index.js';
import { FakePhone, FakeRoom } from '../../../src/lab/kit/index.js';
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

const LATE = { withinMs: 60_000 };
const tone = (ms: number) => Int16Array.from({ length: ms * 8 }, (_, i) => 8_000 * Math.sin(i / 3));

/** A voice that hums: 20 ms for each character. */
class Hum extends FrameProcessor {
  readonly said: string[] = [];

  override process(frame: Frame, direction: FrameDirection): void {
    const isText = frame instanceof TTSSpeakFrame;
    if (isText) this.said.push(frame.text);
    this.push(isText ? new OutputAudioFrame(tone(frame.text.length * 20), 8_000) : frame, direction);
    if (isText) frame.settle();
  }
}

const transcribed = (options: Omit<BotOptions, 'tts'>) =>
  defineBot({ tts: () => new Hum(), transcriptionEnabled: true, ...options });

test('a bot without ears of its own hears the words of its room', async () => {
  const heard: unknown[] = [];
  const said: string[] = [];
  const bot = transcribed({
    async onCall(call) {
      call.on('transcript', ({ speaker, text }) => said.push(`${speaker}: ${text}`));
      await call.say('Who is there?');
      heard.push(await call.listen());
    },
  });
  await using phone = await FakeRoom.call(bot);
  await phone.hears(LATE);
  await phone.hearsSilence(LATE);
  phone.spoke('It is Ada.');
  expect((await phone.ended).reason).toBe('bot_ended');
  expect(heard).toEqual([{ words: 'It is Ada.' }]);
  expect(said).toEqual(['caller: It is Ada.']);
});

test('one with ears of its own hears by them only', async () => {
  let own = (_text: string) => {};
  const heard: unknown[] = [];
  const events: string[] = [];
  const bot = transcribed({
    stt: () =>
      new SttService({
        provider: 'own',
        create: (_rate, listener) => {
          own = (text) => listener.final(text, true);
          return { droppedMs: 0, write() {}, close() {} };
        },
      }),
    async onCall(call) {
      call.transport.on(
        'transcription_message' as never,
        ((_: unknown, { text }: { text: string }) => {
          events.push(text);
          own('by the own ears');
        }) as never,
      );
      await call.say('Who is there?');
      heard.push(await call.listen({ words: true, timeoutMs: 20_000 }));
    },
  });
  await using phone = await FakeRoom.call(bot);
  await phone.hears(LATE);
  await phone.hearsSilence(LATE);
  phone.spoke('by the room');
  await phone.ended;
  expect(events).toEqual(['by the room']);
  expect(heard).toEqual([{ words: 'by the own ears' }]);
});

test('over a carrier there is no transcription: the bot hears no words, as one without ears', async () => {
  let refused: unknown;
  const bot = transcribed({
    async onCall(call) {
      await call.listen({ words: true, timeoutMs: 100 }).catch((error: unknown) => {
        refused = error;
      });
    },
  });
  await using phone = await FakePhone.call(bot);
  await phone.ended;
  expect(String(refused)).toContain('words');
});

test('options of the transcription are checked when the bot is defined', () => {
  const refused = () => transcribed({ transcriptionEnabled: { endpointingMs: 1 }, onCall: () => {} });
  expect(refused).toThrow('transcriptionEnabled.endpointingMs must be 10 to 10000, or false, got 1');
});
