import { deferred } from '../../../src/base/async/deferred.js';
import type { PlacedScenario } from '../../../src/lab/scenario/placed-scenario.js';
import { PreparedCalls } from '../../../src/lab/test/prepared-calls.js';

const scenario = (file: string, commands: { before?: string; after?: string } = {}) =>
  ({ file, ...commands }) as PlacedScenario;

test('of the scenarios of a file that have commands, one runs after the other, whatever becomes of it', async () => {
  const calls = new PreparedCalls();
  const order: string[] = [];
  const first = deferred();
  const begins = async (name: string, end: Promise<void> = Promise.resolve()) => {
    order.push(`${name} begins`);
    await end;
    order.push(`${name} ends`);
    throw new Error(name);
  };
  const one = scenario('a.yaml', { before: 'seed' });
  const other = scenario('a.yaml', { after: 'clean' });
  expect(calls.isTaken(one)).toBe(false);
  const running = [
    calls.take(one, () => begins('one', first.promise)),
    calls.take(other, () => begins('other')),
    calls.take(scenario('b.yaml', { before: 'seed' }), () => begins('of another file')),
    calls.take(scenario('a.yaml'), () => begins('without commands')),
  ];
  expect([one, other].map((each) => calls.isTaken(each))).toEqual([true, true]);
  expect(calls.isTaken(scenario('a.yaml'))).toBe(false);
  await expect(running[2]).rejects.toThrow('of another file');
  await expect(running[3]).rejects.toThrow('without commands');
  expect(order).not.toContain('other begins');
  first.resolve();
  await expect(running[0]).rejects.toThrow('one');
  await expect(running[1]).rejects.toThrow('other');
  expect(order.slice(-3)).toEqual(['one ends', 'other begins', 'other ends']);
  expect([one, other].map((each) => calls.isTaken(each))).toEqual([false, false]);
});
