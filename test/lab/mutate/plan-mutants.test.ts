import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { traitsOf } from '../../../src/lab/mutate/call-traits.js';
import { planMutants } from '../../../src/lab/mutate/plan-mutants.js';
import { at, said, storyOf } from '../scenario/stories.js';
import { scenarioOf } from '../test/results.js';

/** The mutants of a bot of which these calls are known, in the order in which they are planned. */
type Story = readonly [events: TimelineEvent[], endReason: CallRecord['endReason'], lengthMs?: number];
const planned = (...stories: readonly Story[]) =>
  planMutants(
    stories.map(([events, endReason, lengthMs = 10_000], no) => ({
      scenario: scenarioOf({ name: `call ${no}` }),
      wire: 'plivo',
      saysTones: false,
      traits: traitsOf(storyOf({ events, lengthMs }, endReason)),
    })),
  );
const kinds = (...stories: readonly Story[]) => planned(...stories).map(({ mutation }) => mutation.kind);

const saying = (ms: number, text: string) => at(ms, { type: 'saying', text, startsAt: 1_000_000 + ms });
const asked = (ms: number, functions?: Record<string, string>) =>
  at(ms, { type: 'model_asked', turn: 1, response: 1, model: 'm', provider: 'p', ...(functions && { functions }) });
const key = (ms: number, keys: string) => at(ms, { type: 'keys', direction: 'in', keys });
const called = (ms: number, name: string, output: unknown, isError = false): TimelineEvent[] => [
  at(ms, { type: 'tool_called', call: '1', name, input: {} }),
  at(ms + 10, { type: 'tool_returned', call: '1', name, output, isError, ms: 10 }),
];

test('a call in which nothing happens has no mutants', () => {
  expect(planned([[], 'caller_hung_up'])).toEqual([]);
});

test('a function whose result the model reads can throw, return nothing and return something else', () => {
  const mutants = planned([
    [asked(1_000, { balance: 'ab' }), ...called(1_100, 'balance', { amount: 1_250 }), asked(1_300)],
    'caller_hung_up',
  ]);
  const ofBalance = mutants.filter(({ mutation }) => 'name' in mutation);
  expect(ofBalance.map(({ title, calls }) => [title, calls.length])).toEqual([
    ['balance throws', 1],
    ['balance returns nothing', 1],
    ['balance returns {"amount":125000} in place of {"amount":1250}', 1],
  ]);
  expect(ofBalance[2]?.advice).toContain('tools: [{ name: balance, result: {"amount":1250} }]');
});

test('a result that has nothing to be changed in it is not changed, and another one of the same function is', () => {
  const call = (output: unknown): Story => [
    [asked(1_000, { find: 'ab' }), ...called(1_100, 'find', output), asked(1_300)],
    'caller_hung_up',
  ];
  const titles = (...stories: Story[]) =>
    planned(...stories).flatMap(({ mutation, title, calls }) => ('name' in mutation ? [[title, calls.length]] : []));
  expect(titles(call({}), call({ rows: {} }))).toEqual([
    ['find throws', 2],
    ['find returns nothing', 2],
  ]);
  expect(titles(call({}), call({ seats: 2 })).at(-1)).toEqual([
    'find returns {"seats":200} in place of {"seats":2}',
    1,
  ]);
});

test('a transfer to the very number that it would be sent to elsewhere cannot be sent there', () => {
  const asks = at(100, { type: 'transfer_asked', to: '+12025550190' });
  const mutants = planned([
    [asks, at(200, { type: 'transfer_over', to: '+12025550190', status: 'busy' })],
    'caller_hung_up',
  ]);
  expect(mutants.map(({ mutation }) => mutation.kind)).toEqual(['transfer_fails']);
});

test('one whose result nobody reads, or that gives nothing, can only throw; and so can one that no call has used', () => {
  const mutants = planned([
    [
      asked(1_000, { end_call: 'ab', block_card: 'cd', note: 'ef' }),
      ...called(1_100, 'note', null),
      asked(1_200),
      ...called(1_300, 'end_call', { ended: true }),
    ],
    'caller_hung_up',
  ]);
  expect(
    mutants.flatMap(({ mutation, calls }) =>
      'name' in mutation ? [[mutation.kind, mutation.name, calls.length]] : [],
    ),
  ).toEqual([
    ['function_throws', 'block_card', 0],
    ['function_throws', 'end_call', 1],
    ['function_throws', 'note', 1],
  ]);
});

test('what a bot says can be late, come twice, and be missing; its last sentence only where the bot ends the call', () => {
  const talk = [saying(0, 'Hello.'), said(0, 'bot', 'Hello. This is the bank. Goodbye!')];
  expect(kinds([talk, 'bot_ended'])).toEqual([
    'greeting_late',
    'sentence_twice',
    'sentence_missing',
    'goodbye_missing',
    'never_hangs_up',
  ]);
  expect(kinds([talk, 'caller_hung_up'])).toEqual(['greeting_late', 'sentence_twice', 'sentence_missing']);
  expect(planned([talk, 'bot_ended'])[3]?.mutation).toEqual({ kind: 'goodbye_missing', sentences: ['goodbye'] });
});

test('a bot that waits to be spoken to has no greeting that could be late', () => {
  const events = [key(100, '1'), saying(500, 'Hello.'), said(500, 'bot', 'Hello.')];
  expect(kinds([events, 'caller_hung_up'])).toEqual(['key_ignored', 'keys_shifted']);
});

test('each different key can be ignored, and masked ones cannot', () => {
  const mutants = planned([[key(100, '1'), key(200, '9'), key(300, '1'), key(400, '•')], 'caller_hung_up']);
  expect(mutants.map(({ mutation }) => mutation)).toEqual([
    { kind: 'key_ignored', key: '1' },
    { kind: 'key_ignored', key: '9' },
    { kind: 'keys_shifted' },
  ]);
  expect(kinds([[key(100, '•')], 'caller_hung_up'])).toEqual(['keys_shifted']);
});

test.each([
  ['answered', 'busy'],
  ['busy', 'no_answer'],
] as const)('a transfer that was %s fails as %s', (status, failsAs) => {
  const transfer = [
    at(100, { type: 'transfer_asked', to: '+12025550101' }),
    at(200, { type: 'transfer_over', to: '+12025550101', status }),
  ];
  const mutants = planned([transfer, status === 'answered' ? 'transferred' : 'caller_hung_up']);
  expect(mutants.map(({ mutation }) => mutation)).toEqual([
    { kind: 'transfer_fails', status: failsAs },
    { kind: 'transfer_elsewhere', to: '+12025550190' },
  ]);
  expect(mutants[0]?.advice).toBe(`transfer: { to: "+12025550101", outcome: ${status} }`);
});

test('a bot with a model can be one that cannot be interrupted, also where no call has interrupted it', () => {
  const one = planned([[asked(1_000)], 'caller_hung_up']).find(({ mutation }) => mutation.kind === 'interruptions_off');
  expect(one?.calls).toEqual([]);
  const cut = at(3_000, { type: 'said', speaker: 'bot', text: 'Hello', wasInterrupted: true });
  const two = planned([[asked(1_000), cut, saying(4_000, 'Yes?')], 'caller_hung_up']);
  expect(two.find(({ mutation }) => mutation.kind === 'interruptions_off')?.calls).toHaveLength(1);
});

test('a bot can hang up early where it says more than one thing after the caller', () => {
  const begins = [key(100, '1'), said(500, 'bot', 'One')];
  expect(kinds([begins, 'caller_hung_up'])).not.toContain('hangs_up_early');
  expect(kinds([[...begins, said(5_000, 'bot', 'Two')], 'caller_hung_up'])).toContain('hangs_up_early');
});

test('only calls that reach it are made, the shortest first', () => {
  const [mutant] = planned(
    [[key(100, '1')], 'caller_hung_up', 9_000],
    [[], 'caller_hung_up', 1_000],
    [[key(100, '1')], 'caller_hung_up', 4_000],
  );
  expect(mutant?.calls.map(({ scenario }) => scenario.name)).toEqual(['call 2', 'call 0']);
});

test('each bot has mutants of its own: what the scenarios of one notice says nothing of another', () => {
  const call = (bot: string) => ({
    scenario: { ...scenarioOf({ name: bot }), bot },
    wire: 'plivo' as const,
    saysTones: false,
    traits: traitsOf(storyOf({ events: [saying(100, 'Good day to you.')] }, 'bot_ended')),
  });
  const mutants = planMutants([call('/p/bank/bot.ts'), call('/p/shop/bot.ts')]);
  const ends = mutants.filter(({ mutation }) => mutation.kind === 'never_hangs_up');
  expect(ends.map(({ title, calls }) => [title, calls.map(({ scenario }) => scenario.bot)])).toEqual([
    ['bank/bot.ts: the bot never hangs up', ['/p/bank/bot.ts']],
    ['shop/bot.ts: the bot never hangs up', ['/p/shop/bot.ts']],
  ]);
});
