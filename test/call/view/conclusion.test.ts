import { END_REASONS, type EndReason } from '../../../src/call/call.js';
import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { BotEntry, RunnerEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { conclusionOf, sentenceOf } from '../../../src/call/view/conclusion.js';
import { madeCall } from './made-call.js';

const START = 1_000_000;

const live: CallRecord = {
  id: asCallId('a-call'),
  direction: 'inbound',
  from: '+12025550142',
  to: '+12025550100',
  state: 'connected',
  attempt: 1,
  startedAt: START,
  connectedAt: START + 1_000,
};

const endedFor = (endReason: EndReason, more: Partial<CallRecord> = {}): CallRecord => ({
  ...live,
  state: 'ended',
  endedAt: START + 43_000,
  endReason,
  ...more,
});

let at = START;
const next = () => {
  at += 1;
  return at;
};
const bot = (entry: BotEntry, ms = next()): TimelineEvent => ({ at: ms, source: 'bot', bot: 1, ...entry });
const runner = (entry: RunnerEntry, ms = next()): TimelineEvent => ({ at: ms, source: 'runner', ...entry });
const spoke = (speaker: 'caller' | 'bot') => [
  bot({ type: 'speech_started', speaker }),
  bot({ type: 'speech_stopped', speaker }),
];
const talk = () => [bot({ type: 'caller_joined' }), ...spoke('bot'), ...spoke('caller')];
const sentence = (record: CallRecord, events: readonly TimelineEvent[] = [], isOver = true) =>
  sentenceOf(conclusionOf(record, events, isOver));

test.each<[EndReason, string, string]>([
  ['caller_hung_up', 'good', 'The caller hung up after 42 s.'],
  ['bot_ended', 'good', 'The bot hung up after 42 s.'],
  ['transferred', 'good', 'The bot transferred the caller after 42 s.'],
  [
    'no_answer',
    'neutral',
    'The callee did not answer (+12025550100): call again later, or let the phone ring longer with ',
  ],
  ['busy', 'neutral', 'The line was busy (+12025550100): call again later.'],
  ['rejected', 'neutral', 'The call was declined (+12025550100): check the number'],
  ['voicemail', 'neutral', 'A machine answered (+12025550100): call again later.'],
  [
    'screened',
    'neutral',
    'A screening assistant answered, and the person did not come on (+12025550100): call again later.',
  ],
  ['no_bot', 'bad', 'No bot could be loaded: correct the bot file'],
  ['bot_crashed', 'bad', 'Every bot of this call failed: correct what the log shows'],
  ['bot_timeout', 'bad', 'No bot of this call responded: do slow preparations'],
  ['not_connected', 'bad', 'The bot joined its room and never connected the call: give its transport'],
  ['provider_error', 'bad', 'A speech or model service of the bot failed: check that provider'],
  ['telephony_error', 'bad', 'The carrier or the room provider could not complete the call: read its answers'],
  [
    'limit_reached',
    'neutral',
    'A limit was reached after 42 s: if it should go on longer, raise VOICEBOT_MAX_CALL_SECONDS',
  ],
  ['runner_stopped', 'neutral', 'The runner was stopped after 42 s: start it again'],
  ['tunnel_lost', 'bad', 'The tunnel was down for too long: use an address of your own'],
  ['turned_away', 'bad', 'The caller was told that the line was busy: keep more bots'],
])('an end for %s is told in a sentence', (reason, tone, begin) => {
  const conclusion = conclusionOf(endedFor(reason), talk());
  expect(conclusion.tone).toBe(tone);
  expect(sentenceOf(conclusion).slice(0, begin.length)).toBe(begin);
  expect(sentenceOf(conclusion)).toMatch(/^[+A-Z][^.]*(\d\.\d[^.]*)*\.$/);
});

test('every reason there is has a sentence of its own, and what went wrong says what to do', () => {
  const all = END_REASONS.map((reason) => conclusionOf(endedFor(reason), talk()));
  expect(new Set(all.map(({ why }) => why)).size).toBe(END_REASONS.length);
  expect(all.filter(({ tone, next }) => tone === 'bad' && next === undefined)).toEqual([]);
});

test('a call that went as it should says nothing to do; the callee of a dialled call is named so', () => {
  expect(conclusionOf(endedFor('caller_hung_up'), talk()).next).toBeUndefined();
  expect(sentence(endedFor('caller_hung_up', { direction: 'outbound' }), talk())).toBe(
    'The person called hung up after 42 s.',
  );
  const speaking = [...talk(), bot({ type: 'speech_started', speaker: 'bot' })];
  expect(sentence(endedFor('caller_hung_up'), speaking)).toBe('The caller hung up after 42 s, while the bot spoke.');
});

test('who never heard the bot has hung up for a reason', () => {
  const silent = [bot({ type: 'caller_joined' }), ...spoke('caller')];
  expect(conclusionOf(endedFor('caller_hung_up'), silent)).toMatchObject({
    tone: 'bad',
    next: expect.stringMatching(/set-up/),
  });
  expect(sentence(endedFor('bot_ended'), silent)).toMatch(/^The bot hung up after 42 s without a word: /);
});

test('who waited for an answer has hung up for a reason', () => {
  const waiting = [...talk(), bot({ type: 'turn_started', turn: 2 }, START + 38_000)];
  expect(sentence(endedFor('caller_hung_up'), waiting)).toBe(
    'The caller hung up after 42 s, having waited 5.0 s for an answer of the bot: look at what the last turn waited for.',
  );
  const answered = [...waiting, bot({ type: 'speech_started', speaker: 'bot' }, START + 39_000)];
  expect(conclusionOf(endedFor('caller_hung_up'), answered).tone).toBe('good');
});

test('a failed bot is told with its own words and its error code', () => {
  const events = [
    runner({ type: 'output', line: 'bot failed in call a-call (attempt 3): TypeError: menu is not a function' }),
    runner({ type: 'bot_done', bot: 9, outcome: 'threw' }),
  ];
  expect(conclusionOf(endedFor('bot_crashed', { attempt: 3 }), events)).toMatchObject({
    why: 'Every bot of this call failed (TypeError: menu is not a function)',
    code: 'VB_BOT_DIED',
  });
  const died = runner({
    type: 'log',
    level: 'warn',
    message: 'the bot process of a call has died',
    fields: { exit: 'SIGKILL' },
  });
  expect(sentence(endedFor('bot_crashed'), [died])).toMatch(/\(the bot process of a call has died: SIGKILL\)/);
});

test('a failed provider is told with what the bot has warned of', () => {
  const log = runner({ type: 'log', level: 'error', message: 'something else' });
  const warned = bot({ type: 'warning', message: 'Deepgram answered 401' });
  expect(sentence(endedFor('provider_error'), [warned, log])).toMatch(/\(Deepgram answered 401\): check that provider/);
  expect(sentence(endedFor('bot_crashed'), [log, warned])).toMatch(/\(something else\)/);
});

test('the last error code that was written down is the one that is shown, and only of what went wrong', () => {
  const warned = bot({ type: 'warning', message: 'VB_CREDENTIALS_REFUSED: the key is wrong (VB_NOT_A_CODE)' });
  expect(conclusionOf(endedFor('provider_error'), [warned]).code).toBe('VB_CREDENTIALS_REFUSED');
  expect(conclusionOf(endedFor('caller_hung_up'), [...talk(), warned]).code).toBeUndefined();
});

test('a refused request of a failed call is named', () => {
  const request = { type: 'request', method: 'POST', path: '/v1/Call/', ms: 90 } as const;
  const refused = runner({ ...request, status: 402 });
  expect(sentence(endedFor('telephony_error'), [refused])).toMatch(/\(POST \/v1\/Call\/ was answered with 402\): /);
  expect(sentence(endedFor('telephony_error'), [runner(request)])).toMatch(/got no answer/);
});

test('a good end after a failed bot leads to the log', () => {
  expect(sentence(endedFor('caller_hung_up', { attempt: 2 }), talk())).toBe(
    'The caller hung up after 42 s: read in the log why an earlier bot of this call failed.',
  );
});

test.each<[string, Partial<CallRecord>, readonly TimelineEvent[], string]>([
  [
    'dialled',
    { state: 'dialling' },
    [],
    'The runner has asked for a call to +12025550100, and the phone does not ring yet.',
  ],
  ['ringing in', { state: 'ringing' }, [], 'The caller hears the phone ring.'],
  ['ringing out', { state: 'ringing', direction: 'outbound' }, [], 'The phone of +12025550100 rings.'],
  ['without a bot', { state: 'starting' }, [], 'The caller waits for a bot.'],
  [
    'with a bot',
    { state: 'starting' },
    [runner({ type: 'bot_assigned', bot: 1 })],
    'A bot has the call and is getting ready.',
  ],
  ['silent', {}, [], 'The bot has the call, and neither side has spoken yet.'],
  ['spoken to', {}, [bot({ type: 'speech_started', speaker: 'caller' })], 'The caller is speaking.'],
  ['quiet', {}, spoke('bot'), 'Both sides are silent.'],
  ['thinking', {}, [...spoke('caller'), bot({ type: 'turn_started', turn: 1 })], 'The bot is working on an answer.'],
  [
    'using a tool',
    {},
    [
      ...spoke('caller'),
      bot({ type: 'turn_started', turn: 1 }),
      bot({ type: 'tool_called', call: 'c', name: 'hours', input: {} }),
    ],
    'The bot waits for its tool hours.',
  ],
  [
    'transferred',
    { state: 'transferring' },
    [bot({ type: 'transfer_asked', to: '+12025550199' })],
    'The caller is being connected with +12025550199.',
  ],
])('a call that is %s says what happens now', (_name, more, events, expected) => {
  expect(sentence({ ...live, ...more }, events, false)).toBe(expected);
});

test('a call whose end was never written down says so', () => {
  expect(conclusionOf(live, talk(), true)).toMatchObject({
    tone: 'bad',
    why: expect.stringMatching(/stops before its end/),
  });
  const { endReason: _, ...unexplained } = endedFor('bot_ended');
  expect(conclusionOf(unexplained, talk(), true).tone).toBe('bad');
});

test('words of another version are shown as they are', () => {
  expect(sentence(endedFor('call_on_hold' as EndReason))).toBe('The call ended: call on hold.');
  expect(sentence({ ...live, state: 'on_hold' as CallRecord['state'] }, [], false)).toBe('The call is on hold.');
});

test('the made call is one that went well', () => {
  const { record, events } = madeCall();
  expect(sentence(record, events)).toBe('The caller hung up after 46 s.');
});

const EXCEPTION = { error: 'TypeError: no such menu\nmore', file: 'bot.ts', line: 9, column: 16 };
const threw = (what = 'a handler', exception: object = EXCEPTION) =>
  runner({ type: 'output', line: `pipeline: ${what} failed: TypeError: no such menu`, exception } as RunnerEntry);

test.each<[string, CallRecord, string]>([
  ['the caller has hung up', endedFor('caller_hung_up'), 'The caller hung up after 42 s'],
  ['another bot has taken over', endedFor('bot_ended', { attempt: 2 }), 'The bot hung up after 42 s'],
  ['the call goes on', live, 'Both sides are silent'],
])('what a handler of the bot has thrown is told, with its place, though %s', (_how, record, why) => {
  const conclusion = conclusionOf(record, [...talk(), threw()], record !== live);
  expect(conclusion).toMatchObject({ tone: 'bad', exception: EXCEPTION });
  expect(sentenceOf(conclusion)).toBe(
    `${why}, and the bot's code has thrown an error (TypeError: no such menu): correct bot.ts:9:16.`,
  );
  expect(conclusion.code).toBeUndefined();
  const twice = conclusionOf(record, [threw(), ...talk(), threw('Conversation')], record !== live);
  expect(twice.why).toBe(`${why}, and the bot's code has thrown 2 errors (TypeError: no such menu)`);
});

test('what has ended the call comes before what a handler has thrown', () => {
  const failed = runner({
    type: 'output',
    line: 'bot failed in call a-call (attempt 1): Error: no ledger',
    exception: { error: 'Error: no ledger', file: 'bot.ts', line: 2 },
  });
  expect(sentence(endedFor('bot_crashed'), [failed, threw()])).toBe(
    'Every bot of this call failed (Error: no ledger): correct bot.ts:2, and call again.',
  );
  expect(conclusionOf(endedFor('provider_error'), [threw()])).toMatchObject({
    tone: 'bad',
    next: expect.stringContaining('key and limits'),
    code: 'VB_PROVIDER_FAILED',
    exception: EXCEPTION,
  });
});
