import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import { encodeWav } from '../../../src/base/audio/wav.js';
import { acceptCall, defineBot } from '../../../src/bot/api/index.js';
import type { HeardNotice } from '../../../src/call/disclosure.js';
import { FakeLanguageModel, FakePhone, FakeRealtime, FakeRoom } from '../../../src/lab/kit/index.js';
import { concat } from '../../base/audio/signals.js';
import { silence, vowel } from '../../base/audio/voices.js';
import { until } from '../../e2e/processes.js';
import { hurried } from '../../hasty-clock.js';
import { BEEP } from '../conversation/gated-line.js';
import { Hum, hum, OpenedCall, type Opening } from './opened-call.js';

const TEXT = 'This is a machine.';
const disclosure = { text: TEXT, when: 'outbound' } as const;
const LATE = { withinMs: 60_000 };

/** Loads what a call in a room takes, which the hurrying clock would not wait for. */
beforeAll(async () => {
  await using phone = await FakeRoom.call(defineBot({ onCall: () => {} }));
  await phone.ended;
});

hurried();

test('over a carrier the bot goes on when all of it is acknowledged', async () => {
  await using call = await OpenedCall.begin({ parts: { disclosure, onCall: (it) => void it.say('Hello.') } });
  await call.phone.ended;
  expect(call.done).toEqual([`says ${TEXT}`, 'heard disclosure', 'goes on', 'says Hello.']);
  const { from, to, ...rest } = call.heard[0] as HeardNotice;
  expect(rest).toEqual({ kind: 'disclosure', text: TEXT, evidence: 'acknowledged', heardBy: '+12025550199' });
  expect(to - from).toBeCloseTo(TEXT.length * 20, -1);
});

test('in a room, which acknowledges nothing, when it was sent and the time is over that it takes', async () => {
  await using call = await OpenedCall.begin({ parts: { disclosure }, isRoom: true });
  await call.phone.ended;
  expect(call.done).toEqual([`says ${TEXT}`, 'heard disclosure', 'goes on']);
  expect(call.heard).toMatchObject([{ text: TEXT, evidence: 'sent' }]);
});

test('a call that comes in begins with that of a bot that always says it, and with no other', async () => {
  for (const [when, said] of [
    ['always', [TEXT]],
    ['outbound', []],
  ] as const) {
    const parts = { disclosure: { text: TEXT, when } };
    await using call = await OpenedCall.begin({ parts, options: { direction: 'inbound' } });
    await call.phone.ended;
    expect(call.said).toEqual(said);
  }
});

test('the wording is that of the language which the custom data asks for', async () => {
  const text = { en: TEXT, de: 'Dies ist eine Maschine.' };
  const parts = { disclosure: { text, when: 'always' } } as const;
  await using call = await OpenedCall.begin({ parts, options: { body: { language: 'de-AT' } } });
  await call.phone.ended;
  expect(call.said).toEqual([text.de]);
});

describe('with a live model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'opening-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'machine.wav');
  writeFileSync(file, encodeWav({ encoding: 'L16', channels: [hum(400)], sampleRate: 8_000 }));

  test.each([
    ['the voice beside it says it', disclosure, true],
    ['a recorded file says it', { ...disclosure, file }, false],
  ])('%s, before the model has a session', async (_how, said, hasVoice) => {
    await using fake = await FakeRealtime.start({ replies: [{ text: 'Hello, how can I help you?' }] });
    const live = createOpenAI({ apiKey: 'k', baseURL: `${fake.url}/v1` }).experimental_realtime('gpt-realtime-2.1');
    await using call = await OpenedCall.begin({
      hasVoice,
      parts: {
        live,
        disclosure: said,
        onCall: (it) => void it.converse({ log: () => {}, system: 'Be brief.' }),
      },
    });
    await until(() => call.done.includes('goes on'), 'the bot goes on', 60_000);
    expect(call.done.at(-2)).toBe('heard disclosure');
    expect(call.heard).toMatchObject([{ text: TEXT, evidence: 'acknowledged' }]);
    expect(call.said).toEqual(hasVoice ? [TEXT] : []);
    call.phone.hangUp();
    await call.phone.ended;
  });
});

describe('who answers', () => {
  const MESSAGE = 'Please call us back.';
  const REASON = 'It is about your order.';
  const GREETING = 'Hello, this is the bakery.';

  const NOTICE = 'It is recorded.';

  async function answered(words: string, opening: Partial<Opening> = { parts: { disclosure } }) {
    const model = await FakeLanguageModel.start({ replies: [{ text: 'Yes.' }] });
    const call = await OpenedCall.begin({
      hasEars: true,
      ...opening,
      parts: {
        ...opening.parts,
        llm: createOpenAI({ apiKey: 'test', baseURL: model.url }).chat('gpt-4.1-mini'),
        onCall: (it) =>
          void it.converse({
            log: () => {},
            system: 'Be brief.',
            greeting: GREETING,
            voicemail: { message: MESSAGE, screening: { reason: REASON } },
          }),
      },
    });
    await call.phone.hears(LATE);
    call.understands(words);
    return {
      call,
      async [Symbol.asyncDispose]() {
        for (const one of [call, model]) await one[Symbol.asyncDispose]();
      },
    };
  }

  test('a machine is told before the message, too', async () => {
    await using it = await answered('You have reached Jane. Please leave a message after the tone.');
    const { call } = it;
    await until(() => call.done.includes('goes on'), 'the conversation has begun', 60_000);
    call.phone.say(BEEP);
    expect((await call.phone.ended).reason).toBe('voicemail');
    expect(call.said).toEqual([TEXT, TEXT, MESSAGE]);
    expect(call.heard).toMatchObject([{ text: TEXT }, { text: TEXT }]);
  });

  test('a screening assistant is told first, and the person behind it before the greeting', async () => {
    await using it = await answered(
      "Hi, if you record your name and reason for calling, I'll see if they are available.",
    );
    const { call } = it;
    await until(() => call.said.includes(REASON), 'the assistant is told the reason', 60_000);
    await call.phone.hearsSilence(LATE);
    call.phone.say(concat(vowel(400), silence(1_500)));
    await call.phone.hearsSilence({ forMs: 1_200, ...LATE }); // they have said it meanwhile
    call.understands('Hello?');
    await until(() => call.said.includes(GREETING), 'the person is greeted', 60_000);
    expect(call.said).toEqual([TEXT, REASON, TEXT, GREETING]);
    call.phone.hangUp();
    await call.phone.ended;
  });

  test.each([
    ['and that a machine calls', { disclosure }, [TEXT]],
    ['where that is all', {}, []],
  ])(
    'the person behind a screening assistant hears that the call is recorded, %s, and nothing of them is kept before',
    async (_also, parts, first) => {
      const done: string[] = [];
      const runner = { isRecorded: () => true, forgetNotices: () => void done.push('forgets') };
      const opening = { done, runner, parts: { ...parts, record: { notice: NOTICE } } };
      await using it = await answered(
        "Hi, if you record your name and reason for calling, I'll see if they are available.",
        opening,
      );
      const { call } = it;
      await until(() => call.said.includes(REASON), 'the assistant is told the reason', 60_000);
      expect(done.filter((one) => one === 'forgets')).toHaveLength(1);
      const forgotten = done.indexOf('forgets');
      expect(done.lastIndexOf('heard recording')).toBeLessThan(forgotten);
      await call.phone.hearsSilence(LATE);
      call.phone.say(concat(vowel(400), silence(1_500)));
      await call.phone.hearsSilence({ forMs: 1_200, ...LATE });
      call.understands('Hello?');
      await until(() => call.said.includes(GREETING), 'the person is greeted', 60_000);
      expect(call.said).toEqual([...first, NOTICE, REASON, ...first, NOTICE, GREETING]);
      expect(done.slice(forgotten).filter((one) => one.startsWith('heard'))).toEqual([
        ...first.map(() => 'heard disclosure'),
        'heard recording',
      ]);
      call.phone.hangUp();
      await call.phone.ended;
    },
  );
});

describe('a bot that takes over', () => {
  const heard: HeardNotice = { text: TEXT, from: 1, to: 2, evidence: 'acknowledged' };

  test('does not say again what was heard', async () => {
    await using call = await OpenedCall.begin({
      parts: { disclosure },
      runner: { heardNotices: { disclosure: heard } },
    });
    await call.phone.ended;
    expect(call.done).toEqual(['goes on']);
  });

  test('says what was not, from its beginning', async () => {
    await using call = await OpenedCall.begin({ parts: { disclosure }, runner: { heardNotices: {} } });
    await call.phone.ended;
    expect(call.done).toEqual([`says ${TEXT}`, 'heard disclosure', 'goes on']);
  });

  test('says the notice of the recording alone where the first was heard', async () => {
    await using call = await OpenedCall.begin({
      parts: { disclosure, record: { notice: 'It is recorded.' } },
      runner: { heardNotices: { disclosure: heard }, isRecorded: () => true },
    });
    await call.phone.ended;
    expect(call.done).toEqual(['says It is recorded.', 'heard recording', 'goes on']);
  });
});

test('the times are those of the recording where the call has one, and of the clock where it cannot tell', async () => {
  const asked: string[] = [];
  const tape = (found: { from: number; to: number } | undefined) =>
    ({
      isRunning: true,
      received: () => {},
      sent: () => false,
      marked: () => {},
      played: () => {},
      cleared: () => {},
      dropped: () => {},
      streamOver: () => {},
      watchWords: () => void asked.push('watches'),
      findWords: async () => {
        asked.push('finds');
        return found;
      },
    }) as const;
  for (const found of [{ from: 7, to: 9 }, undefined]) {
    await using call = await OpenedCall.begin({ parts: { disclosure }, runner: { tape: tape(found) } });
    await call.phone.ended;
    const { from, to } = call.heard[0] as HeardNotice;
    if (found) expect({ from, to }).toEqual(found);
    else expect(to - from).toBeCloseTo(TEXT.length * 20, -1);
  }
  expect(asked).toEqual(['watches', 'finds', 'watches', 'finds']);
});

test('a bot that takes its call by acceptCall has it when the disclosure was heard', async () => {
  const order: string[] = [];
  await using phone = await FakePhone.call(
    async (args) => {
      const call = await acceptCall(args, { tts: () => new Hum((text) => order.push(text)), disclosure });
      order.push('has it');
      await call.hangUp();
    },
    { direction: 'outbound' },
  );
  await phone.ended;
  expect(order).toEqual([TEXT, 'has it']);
});
