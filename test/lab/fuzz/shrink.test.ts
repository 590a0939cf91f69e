import type { RandomCall } from '../../../src/lab/fuzz/random-caller.js';
import { shorterCalls, shrunk } from '../../../src/lab/fuzz/shrink.js';

const CALL: RandomCall = {
  network: { loss: '3%' },
  caller: [
    { press: '12#', talkOver: true },
    { wait: '4000ms' },
    { say: 'Hello?', after: '500ms' },
    { press: '9' },
    { hangUp: true },
  ],
};
const AT_ONCE = { atOnce: 4, most: 100 };

test('what is left out goes from the bad line and halves of the steps to single keys and shorter waits', () => {
  const [first, second, third] = shorterCalls(CALL);
  expect(first).toEqual({ caller: CALL.caller });
  expect([second?.caller.length, third?.caller.length]).toEqual([3, 2]);
  const steps = shorterCalls(CALL).flatMap(({ caller }) => caller);
  for (const simpler of [{ press: '12#' }, { press: '12', talkOver: true }, { wait: '2000ms' }, { say: 'Hello?' }])
    expect(steps).toContainEqual(simpler);
  expect(shorterCalls({ caller: [{ press: '9' }] })).toEqual([]);
});

test('the shortest call that fails is found, whatever else stands around it', async () => {
  const fails = async (calls: readonly RandomCall[]) =>
    calls.map(({ caller }) => caller.some((step) => 'press' in step && step.press.includes('9')));
  expect(await shrunk(CALL, fails, AT_ONCE)).toEqual({ caller: [{ press: '9' }] });
});

test('one that needs all of it stays, and no more calls are made than allowed', async () => {
  let made = 0;
  const never = async (calls: readonly RandomCall[]) => {
    made += calls.length;
    expect(calls.length).toBeLessThanOrEqual(4);
    return calls.map(() => false);
  };
  expect(await shrunk(CALL, never, AT_ONCE)).toEqual(CALL);
  expect(made).toBe(shorterCalls(CALL).length);
  made = 0;
  await shrunk(CALL, never, { atOnce: 4, most: 6 });
  expect(made).toBe(6);
});

test('a shorter call that fails once and not again is none', async () => {
  const failed = new Set<string>();
  const onceOnly = async (calls: readonly RandomCall[]) =>
    calls.map(({ caller }) => {
      if (caller.length > 3) return true;
      const key = JSON.stringify(caller);
      return !failed.has(key) && Boolean(failed.add(key));
    });
  const { caller } = await shrunk(CALL, onceOnly, AT_ONCE);
  expect(caller).toHaveLength(4);
});
