import { FrameClock } from '../../../src/base/async/frame-clock.js';

/** Runs `check` with fake time. */
async function inFakeTime(check: () => Promise<void>): Promise<void> {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  try {
    await check();
  } finally {
    jest.useRealTimers();
  }
}

test('ticks 50 times a second for everybody who listens, with one timer', () =>
  inFakeTime(async () => {
    const clock = new FrameClock();
    const first = jest.fn();
    const second = jest.fn();
    clock.onTick(first);
    clock.onTick(second);
    expect(jest.getTimerCount()).toBe(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(first).toHaveBeenCalledTimes(50);
    expect(second).toHaveBeenCalledTimes(50);
  }));

test('stops when nobody listens and starts again', () =>
  inFakeTime(async () => {
    const clock = new FrameClock();
    const stop = clock.onTick(() => stop());
    await jest.advanceTimersByTimeAsync(100);
    expect(jest.getTimerCount()).toBe(0);
    const listener = jest.fn();
    clock.onTick(listener);
    await jest.advanceTimersByTimeAsync(100);
    expect(listener).toHaveBeenCalledTimes(5);
  }));

test('catches up after a late tick, reading sockets in between', async () => {
  const clock = new FrameClock();
  const order: string[] = [];
  const ticksAt: number[] = [];
  await new Promise<void>((resolve) => {
    const stop = clock.onTick(() => {
      order.push('tick');
      ticksAt.push(performance.now());
      if (ticksAt.length === 1) {
        setImmediate(() => order.push('other work'));
        const until = performance.now() + 400;
        while (performance.now() < until); // the process is busy for twenty ticks
      }
      if (ticksAt.length < 20) return;
      stop();
      resolve();
    });
  });
  expect(order.indexOf('other work')).toBeLessThanOrEqual(2);
  const [, second = 0] = ticksAt;
  expect((ticksAt[19] ?? Number.POSITIVE_INFINITY) - second).toBeLessThan(18 * 20);
});

test('gives missed ticks up after the machine was asleep', () =>
  inFakeTime(async () => {
    const clock = new FrameClock();
    const listener = jest.fn();
    clock.onTick(listener);
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000);
    await jest.advanceTimersByTimeAsync(20);
    now.mockRestore();
    expect(listener).toHaveBeenCalledTimes(1);
  }));

test('waits in call time, or until the signal aborts', () =>
  inFakeTime(async () => {
    const clock = new FrameClock();
    const abort = new AbortController();
    const settled: string[] = [];
    void clock.wait(60, abort.signal).then(() => settled.push('waited'));
    void clock.wait(60_000, abort.signal).then(() => settled.push('aborted'));
    await jest.advanceTimersByTimeAsync(40);
    expect(settled).toEqual([]);
    await jest.advanceTimersByTimeAsync(20);
    expect(settled).toEqual(['waited']);
    abort.abort();
    await clock.wait(1_000, abort.signal);
    expect(settled).toEqual(['waited', 'aborted']);
    expect(jest.getTimerCount()).toBe(0);
  }));
