import { afterRunning } from '../../../src/base/async/running-time.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const turnOfEvents = () => new Promise((resolve) => setImmediate(resolve));

async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  await turnOfEvents();
}

test('what is owed is late after the time, to the millisecond', async () => {
  const isLate = jest.fn();
  afterRunning(730, isLate);
  await pass(729);
  expect(isLate).not.toHaveBeenCalled();
  await pass(1);
  expect(isLate).toHaveBeenCalledTimes(1);
});

test('what has come before the timer is looked at takes it back', async () => {
  const isLate = jest.fn();
  const cancel = afterRunning(300, isLate);
  jest.advanceTimersByTime(300);
  cancel();
  await turnOfEvents();
  expect(isLate).not.toHaveBeenCalled();
});

test('time in which the process stood still does not count', async () => {
  const isLate = jest.fn();
  let stoodStillMs = 0;
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs);
  afterRunning(700, isLate);
  await pass(350);
  stoodStillMs = 5_000;
  await pass(250);
  expect(isLate).not.toHaveBeenCalled();
  await pass(80);
  expect(isLate).toHaveBeenCalledTimes(1);
  clock.mockRestore();
});

test('at its very end, too: others get a moment more', async () => {
  const isLate = jest.fn();
  let stoodStillMs = 0;
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs);
  afterRunning(700, isLate);
  await pass(690);
  stoodStillMs = 900;
  await pass(10);
  await pass(90);
  expect(isLate).not.toHaveBeenCalled();
  await pass(10);
  expect(isLate).toHaveBeenCalledTimes(1);
  clock.mockRestore();
});
