import { type Call, defineBot } from '../../../src/bot/api/index.js';
import { FUNCTIONS_URL_VARIABLE } from '../../../src/call/lab-address.js';
import { hasTakenEffect, MUTATION_VARIABLE, type Mutation } from '../../../src/call/mutation.js';
import type { BotEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { FakePhone, type FakePhoneOptions } from '../../../src/lab/kit/index.js';
import { HastyClock } from '../../hasty-clock.js';
import { BuzzTTS } from './buzz-tts.js';
import { noteIn } from './note-in.js';

let clock: HastyClock;
beforeEach(() => {
  clock = new HastyClock();
  process.env[FUNCTIONS_URL_VARIABLE] = 'http://127.0.0.1:4711/secret/functions';
});
afterEach(() => {
  clock[Symbol.dispose]();
  delete process.env[MUTATION_VARIABLE];
  delete process.env[FUNCTIONS_URL_VARIABLE];
});

/** A call to a bot that is broken so; `noted` fills as it goes. */
async function callTo(
  onCall: (call: Call) => Promise<void>,
  mutation: Mutation | undefined,
  options: FakePhoneOptions = {},
) {
  if (mutation) process.env[MUTATION_VARIABLE] = JSON.stringify(mutation);
  const noted: BotEntry[] = [];
  const bot = defineBot({ tts: () => new BuzzTTS({ cache: false }), onCall });
  const phone = await FakePhone.call(async (args) => {
    noteIn(noted, args);
    await bot(args);
  }, options);
  const said = () => noted.flatMap((one) => (one.type === 'said' && one.text !== '' ? [one.text] : []));
  const isBroken = () => hasTakenEffect(noted.map((one) => ({ ...one, at: 0, source: 'bot' }) as TimelineEvent));
  return { phone, noted, said, isBroken, [Symbol.asyncDispose]: () => phone[Symbol.asyncDispose]() };
}

/** Says what key it has got, until the caller presses 9. */
async function menu(call: Call): Promise<void> {
  void call.say('Press a key.');
  for (let key = ''; key !== '9' && !call.isOver; ) {
    key = (await call.listen({ timeoutMs: 3_000 }))?.keys ?? '';
    call.interrupt();
    await call.say(key === '' ? 'Nothing.' : `You have pressed ${key}.`);
    if (key === '') break;
  }
}

test.each<[string, Mutation | undefined, string[]]>([
  ['not broken hears the keys', undefined, ['You have pressed 1.']],
  ['that ignores a key does not act upon it', { kind: 'key_ignored', key: '1' }, ['Nothing.']],
  ['that ignores another key hears this one', { kind: 'key_ignored', key: '2' }, ['You have pressed 1.']],
  ['that shifts keys takes one for the next', { kind: 'keys_shifted' }, ['You have pressed 2.']],
])('a bot %s', async (_, mutation, expected) => {
  await using called = await callTo(menu, mutation);
  await called.phone.hears();
  called.phone.press('1');
  await called.phone.ended;
  expect(called.said()).toEqual(expect.arrayContaining(expected));
  expect(called.isBroken()).toBe(mutation !== undefined && !('key' in mutation && mutation.key === '2'));
  expect(called.noted).toContainEqual(expect.objectContaining({ type: 'keys', direction: 'in', keys: '1' }));
});

test.each<[string, Mutation | undefined, boolean]>([
  ['is not broken stops', undefined, true],
  ['cannot be interrupted goes on', { kind: 'interruptions_off' }, false],
])('a bot that %s when it drops what it says', async (_, mutation, wasInterrupted) => {
  await using called = await callTo(async (call) => {
    const long = call.say(
      'This is a sentence that takes so long that every caller presses a key before its end comes.',
    );
    await call.listen();
    call.interrupt();
    await long;
  }, mutation);
  await called.phone.hears();
  called.phone.press('1');
  await called.phone.ended;
  expect(called.noted).toContainEqual(
    expect.objectContaining({ type: 'speech_stopped', speaker: 'bot', wasInterrupted }),
  );
  expect(called.isBroken()).toBe(mutation !== undefined);
});

test('a greeting that is late comes as much later as it is said', async () => {
  await using called = await callTo((call) => call.say('Hello.').then(() => {}), { kind: 'greeting_late', ms: 3_000 });
  await called.phone.ended;
  const firstMs = (called.phone.heard.findIndex((sample) => Math.abs(sample) > 1_000) / 8_000) * 1_000;
  expect(firstMs).toBeGreaterThanOrEqual(2_900);
  expect(called.isBroken()).toBe(true);
});

test('a bot that never hangs up leaves it to the caller', async () => {
  await using called = await callTo((call) => call.say('Goodbye.').then(() => {}), { kind: 'never_hangs_up' });
  await called.phone.hears();
  await called.phone.hearsSilence({ forMs: 5_000 });
  expect(called.isBroken()).toBe(true);
  called.phone.hangUp();
  expect(await called.phone.ended).toMatchObject({ reason: 'caller_hung_up' });
  expect(called.said()).toEqual(['Goodbye.']);
});

test('a bot that hangs up early has said its first answer to the end, and no more', async () => {
  await using called = await callTo(menu, { kind: 'hangs_up_early' });
  await called.phone.hears();
  await called.phone.hearsSilence({ forMs: 500 });
  called.phone.press('1');
  expect(await called.phone.ended).toMatchObject({ reason: 'bot_ended' });
  expect(called.said()).toEqual(['Press a key.', 'You have pressed 1.']);
});

test('a sentence that is missing is not heard, and what is said behind it is', async () => {
  const speak = async (call: Call) => {
    await call.say('Hello. This is the bank.');
    await call.say('Goodbye.');
  };
  await using called = await callTo(speak, { kind: 'sentence_missing' });
  await called.phone.ended;
  expect(called.said().map((text) => text.trim())).toEqual(['Hello.', 'Goodbye.']);
});

describe('a transfer', () => {
  const transfers = async (call: Call) => {
    const { status } = await call.transfer('+12025550101', { announce: 'One moment.' });
    if (status !== 'answered') await call.say(`It is ${status}.`);
  };

  test('that fails dials nobody, and the caller has heard the announcement', async () => {
    const asked: string[] = [];
    await using called = await callTo(
      transfers,
      { kind: 'transfer_fails', status: 'busy' },
      {
        transfer: (to) => {
          asked.push(to);
          return 'answered';
        },
      },
    );
    await called.phone.ended;
    expect(asked).toEqual([]);
    expect(called.said()).toEqual(['One moment.', 'It is busy.']);
    expect(called.noted).toContainEqual(expect.objectContaining({ type: 'transfer_over', status: 'busy' }));
  });

  test('that goes elsewhere dials the other number', async () => {
    const asked: string[] = [];
    await using called = await callTo(
      transfers,
      { kind: 'transfer_elsewhere', to: '+12025550190' },
      {
        transfer: (to) => {
          asked.push(to);
          return 'busy';
        },
      },
    );
    await called.phone.ended;
    expect(asked).toEqual(['+12025550190']);
    expect(called.noted).toContainEqual(expect.objectContaining({ type: 'transfer_asked', to: '+12025550190' }));
  });
});
