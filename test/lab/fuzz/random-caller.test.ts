// biome-ignore-all lint/suspicious/noThenProperty: a branch has one, which is a list
import { isDeepStrictEqual } from 'node:util';
import { FuzzBase } from '../../../src/lab/fuzz/fuzz-base.js';
import { type RandomCall, RandomCaller } from '../../../src/lab/fuzz/random-caller.js';
import { scenarioOf } from '../test/results.js';

const SCENARIO = scenarioOf({
  name: 'tells the balance',
  from: '+12025550142',
  carrier: 'telnyx',
  environment: { LEDGER: 'x' },
  caller: [
    { press: '1' },
    { either: [{ hear: 'PIN', then: [{ press: '4711#' }] }, { hear: 'name' }] },
    { repeat: [{ say: 'My balance, please.' }], times: 2 },
  ],
  model: [
    { when: /balance/i, call: { balance: {} } },
    { after: 'balance', say: 'It is {{result}}.', thinks: '1s' },
  ],
  tools: { balance: { returns: 5, takes: '2s' } },
  expect: { nowhere: '4711' },
});
const base = new FuzzBase(SCENARIO, 12_000);
const callsOf = (seed: number) => {
  const caller = new RandomCaller(base.material, seed);
  return Array.from({ length: 300 }, () => caller.call());
};

test('what callers say and press is taken from the scenario, within other steps too', () => {
  expect(base.material).toMatchObject({ sentences: ['My balance, please.'], keys: ['1', '4711#'] });
  expect(base.material.steps).toEqual([
    { press: '1' },
    {
      either: [
        { hear: 'PIN', then: [{ press: '4711#' }] },
        { hear: 'name', then: [] },
      ],
      within: '15000ms',
    },
    { repeat: [{ say: 'My balance, please.' }], times: 2 },
  ]);
});

test('callers often begin as the caller of the scenario does, up to where that one hangs up, and go on by themselves', () => {
  const calls = callsOf(7);
  const beginnings = calls.map(({ caller }) =>
    base.material.steps.findIndex((step, at) => !isDeepStrictEqual(caller[at], step)),
  );
  const asFar = (steps: number) => beginnings.filter((at) => at < 0 || at >= steps).length;
  expect(asFar(1)).toBeGreaterThan(150);
  expect(asFar(2)).toBeGreaterThan(90);
  expect(asFar(3)).toBeGreaterThan(40);
  expect(asFar(1)).toBeLessThan(240);
  const withEnd = scenarioOf({
    name: 'ends',
    caller: [{ press: '1 w2 2', during: /pin/i }, { hangUp: true }, { press: '3' }],
  });
  expect(new FuzzBase(withEnd, 0).material.steps).toEqual([{ press: '1w2 2', during: '/pin/i' }]);
  const endless = scenarioOf({ name: 'endless', caller: [{ hear: 'Hello' }, { repeat: [{ press: '1' }] }] });
  expect(new FuzzBase(endless, 0).material.steps).toEqual([{ hear: 'Hello', within: '15000ms' }]);
});

test('the same seed makes the same calls, another one others', () => {
  expect(callsOf(7)).toEqual(callsOf(7));
  expect(callsOf(7)).not.toEqual(callsOf(8));
});

test('each call is a valid scenario, of at most six steps behind those of the scenario, and none ends with silence of its own or goes on after hanging up', () => {
  const calls = callsOf(7);
  for (const call of calls) {
    expect(call.caller.length).toBeGreaterThan(0);
    expect(call.caller.length).toBeLessThanOrEqual(9);
    expect([-1, call.caller.length - 1]).toContain(call.caller.findIndex((step) => 'hangUp' in step));
    expect(base.placed(call, 'x').name).toBe('x');
  }
  const kinds = (of: (call: RandomCall) => boolean) => calls.filter(of).length;
  expect(kinds(({ network }) => network !== undefined)).toBeGreaterThan(30);
  for (const field of ['press', 'say', 'wait', 'hangUp', 'talkOver', 'after'])
    expect(kinds(({ caller }) => caller.some((step) => field in step))).toBeGreaterThan(30);
  expect(kinds(({ caller }) => caller.length > 1 && 'wait' in (caller.at(-1) ?? {}))).toBe(0);
});

test('a call keeps what the scenario says of caller, model and functions, also as it is written to a file', () => {
  const [call] = callsOf(7) as [RandomCall];
  expect(base.placed(call, 'x')).toMatchObject({
    from: '+12025550142',
    environment: { LEDGER: 'x' },
    tools: { balance: { returns: 5, takes: 2_000 } },
    expect: { nowhere: ['4711'], silentAtMost: 12_000, contextAsHeard: true },
  });
  expect(base.placed(call, 'x').model).toHaveLength(3);
  expect(base.optionsOf(call, 'x')).toMatchObject({
    from: '+12025550142',
    model: [
      { when: /balance/i },
      { after: 'balance', say: 'It is {{result}}.', thinks: '1000ms' },
      { say: 'All right.' },
    ],
    tools: { balance: { returns: 5, takes: '2000ms' } },
  });
});
