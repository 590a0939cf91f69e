import { MULAW_SILENCE } from '../../../src/base/audio/mulaw.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { ToldEnd } from '../../../src/lab/load/load-ends.js';
import { LoadPhone, type LoadPhoneOptions } from '../../../src/lab/load/load-phone.js';
import type { CallerStep } from '../../../src/lab/scenario/caller-steps.js';
import { ScriptedCaller } from '../../../src/lab/scenario/scripted-caller.js';
import { WordPattern } from '../../../src/lab/scenario/words.js';

const QUIET = new Uint8Array(160).fill(MULAW_SILENCE);
const hear = (words: string): CallerStep => ({ kind: 'hear', words: new WordPattern(words), withinMs: 15_000 });
const WAITS: CallerStep = { kind: 'wait', ms: 600_000 };

/** A telephone whose call has a stream, with what it told. */
function onTheLine(steps: readonly CallerStep[], options: Partial<LoadPhoneOptions> = {}) {
  const pressed: string[] = [];
  const over: LoadPhone[] = [];
  const phone = new LoadPhone({
    no: 1,
    now: () => 0,
    lengthMs: undefined,
    limitMs: undefined,
    hasSteps: true,
    isTold: true,
    callerOf: (one) =>
      new ScriptedCaller(
        steps,
        {
          speak: async () => new Uint8Array(),
          play: () => new Uint8Array(),
          press: (digit) => one.press(digit),
          said: () => {},
          hangUp: () => one.hangUp(),
        },
        new AbortController().signal,
      ),
    onRinging: () => {},
    onFirstWord: () => {},
    onEnded: () => {},
    onOver: (one) => over.push(one),
    ...options,
  });
  const ends = () =>
    phone.notify({
      type: 'ended',
      end: { callId: 'c', cause: 'Normal Hangup', code: 4000, source: 'x', durationMs: 1 },
    });
  phone.dial(() => ({ id: 'c', press: (digit) => void pressed.push(digit), hangUp: ends }));
  phone.notify({ type: 'answered' });
  phone.notify({ type: 'progress', line: { hop: 'stream', ok: true, text: 'open', ms: 5 } as never });
  const live = (ms: number) => {
    for (let at = 0; at < ms && !phone.hasEnded; at += 20) phone.exchange(QUIET, () => {});
  };
  return { phone, pressed, over, ends, live };
}

const said = (text: string): TimelineEvent => ({ at: 0, source: 'bot', bot: 1, type: 'said', speaker: 'bot', text });
const BOT_ENDED: ToldEnd = { reason: 'bot_ended' };

test('a call is judged when its runner has told how it ended, not when the line is dead', () => {
  const { phone, over, ends } = onTheLine([hear('Goodbye')]);
  ends();
  expect([phone.hasEnded, phone.isOver, over]).toEqual([true, false, []]);
  phone.caller.note(said('Goodbye.')); // words that come after the end of the line
  phone.settle(BOT_ENDED);
  expect(phone.went).toMatchObject({ outcome: 'done', why: undefined });
  expect(over).toEqual([phone]);
});

test('a step that was not done when the bot ended the call is why it failed', () => {
  const { phone, ends, live, pressed } = onTheLine([
    hear('Welcome'),
    { kind: 'press', keys: [{ digit: '1', atMs: 0 }] },
    hear('balance'),
  ]);
  live(100);
  ends();
  phone.settle(BOT_ENDED);
  expect(pressed).toEqual([]);
  expect(phone.went).toMatchObject({
    outcome: 'failed',
    why: 'caller[0].hear: hear "Welcome" was not done: the call had ended (bot_ended), and 2 more steps were not done',
  });
});

test('steps behind words of the bot are done when those come', () => {
  const { phone, live, pressed } = onTheLine([hear('Welcome'), { kind: 'press', keys: [{ digit: '1', atMs: 0 }] }]);
  live(100);
  phone.caller.note(said('Welcome!'));
  live(20_000);
  phone.settle({ reason: 'caller_hung_up' });
  expect(pressed).toEqual(['1']);
  expect(phone.went.outcome).toBe('done');
});

test('a call that goes on to the limit of its scenario fails, with the place of the caller', () => {
  const { phone, live } = onTheLine([hear('Never')], { limitMs: 1_000 });
  live(5_000);
  phone.settle({ reason: 'caller_hung_up' });
  expect(phone.went).toMatchObject({
    outcome: 'failed',
    why: 'limit: the call went on for 1 s: the caller stood at hear "Never" (caller[0])',
  });
});

test('a call that is cut short before is fine: nobody waited for its steps', () => {
  const { phone, live } = onTheLine([hear('Never')], { limitMs: 1_000, lengthMs: 500 });
  live(5_000);
  phone.settle({ reason: 'caller_hung_up' });
  expect(phone.went.outcome).toBe('done');
});

test('a bot that breaks is told with its last words, whatever that did to the stream', () => {
  const { phone, ends } = onTheLine([WAITS]);
  phone.notify({ type: 'progress', line: { hop: 'stream', ok: false, text: 'stream ended with code 1011' } as never });
  ends();
  phone.settle({ reason: 'bot_crashed', broke: { why: 'Error: audit log lost', at: Date.now() } });
  expect(phone.went).toMatchObject({ outcome: 'failed', why: 'the bot broke: Error: audit log lost' });
});

test('one that another bot has taken over from is told too, and one that broke after the caller had gone is not', () => {
  const { phone } = onTheLine([WAITS]);
  const before = Date.now() - 1;
  phone.cut();
  phone.settle({ reason: 'caller_hung_up', broke: { why: 'gone', at: before } });
  expect(phone.went.why).toBe('the bot broke: gone');
  const later = onTheLine([WAITS]).phone;
  later.cut();
  later.settle({ reason: 'caller_hung_up', broke: { why: 'gone', at: Date.now() + 1 } });
  expect(later.went.outcome).toBe('done');
});

test.each([
  [BOT_ENDED, 'ended_early', 'the bot ended the call early (bot_ended)'],
  [
    { reason: 'provider_error', trouble: 'A speech or model provider failed' } as const,
    'failed',
    'the call ended badly: A speech or model provider failed',
  ],
  [undefined, 'ended_early', 'the bot ended the call early (Normal Hangup)'],
])('without a scenario a bot that ends the call ends it early, for its own reason: %j', (end, outcome, why) => {
  const { phone, ends } = onTheLine([WAITS], { hasSteps: false, isTold: end !== undefined });
  ends();
  phone.settle(end);
  expect(phone.went).toMatchObject({ outcome, why });
});

test('a question of the model that no rule answers is why a call failed, whoever ended it', () => {
  const { phone } = onTheLine([WAITS]);
  phone.hangUp();
  phone.settle({ reason: 'caller_hung_up', unanswered: 'no rule answers "Hello"' });
  expect(phone.went.why).toBe('model: no rule answers "Hello"');
});
