import { EventEmitter } from 'node:events';
import type { CallRecord } from '../../../src/call/call-record.js';
import { StageCalls } from '../../../src/lab/stage/stage-calls.js';
import type { Runner } from '../../../src/runner/runner.js';
import { at } from '../scenario/stories.js';

const THREW = at(5_000, { type: 'bot_done', bot: 1, outcome: 'threw', errorType: 'TypeError' });
const WRITTEN = at(5_010, { type: 'output', line: 'bot failed in call c (attempt 1): TypeError: no ledger' });

afterEach(() => jest.useRealTimers());

/** A call that has ended, with a bot that is not done. */
function ended() {
  jest.useFakeTimers();
  const runner = new EventEmitter();
  const calls = new StageCalls(runner as unknown as Pick<Runner, 'on'>);
  runner.emit('noted', 'c', at(0, { type: 'bot_assigned', bot: 1 }));
  runner.emit('call', { id: 'c', state: 'ended' } as unknown as CallRecord);
  let isOver = false;
  const over = calls.over('c', 60_000).then(({ events }) => {
    isOver = true;
    return events;
  });
  const look = async () => {
    await jest.advanceTimersByTimeAsync(0);
    return isOver;
  };
  return { runner, over, look };
}

test('what a function has thrown is waited for, as its line may come behind the news', async () => {
  const { runner, over, look } = ended();
  runner.emit('noted', 'c', THREW);
  expect(await look()).toBe(false);
  runner.emit('noted', 'c', WRITTEN);
  expect(await look()).toBe(true);
  expect((await over).slice(1)).toEqual([THREW, WRITTEN]);
});

test('a line that came before the news, and a bot that returns, are not waited for', async () => {
  const early = ended();
  early.runner.emit('noted', 'c', WRITTEN);
  early.runner.emit('noted', 'c', THREW);
  expect(await early.look()).toBe(true);
  const returned = ended();
  returned.runner.emit('noted', 'c', at(5_000, { type: 'bot_done', bot: 1, outcome: 'returned' }));
  expect(await returned.look()).toBe(true);
});

test('a line that never comes is waited for three seconds', async () => {
  const { runner, look } = ended();
  runner.emit('noted', 'c', THREW);
  await jest.advanceTimersByTimeAsync(2_900);
  expect(await look()).toBe(false);
  await jest.advanceTimersByTimeAsync(200);
  expect(await look()).toBe(true);
});
