import { pause } from '../../../src/base/async/pause.js';

afterEach(() => jest.useRealTimers());

test('a pause ends after its time, and not before', async () => {
  jest.useFakeTimers();
  const ended = jest.fn();
  const pausing = pause(100, new AbortController().signal).then(ended);
  jest.advanceTimersByTime(99);
  await Promise.resolve();
  expect(ended).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  await pausing;
});

test.each(['before', 'while'])('a signal that is aborted %s it lasts ends it with its reason', async (when) => {
  jest.useFakeTimers();
  const controller = new AbortController();
  const reason = new Error('enough');
  if (when === 'before') controller.abort(reason);
  const pausing = pause(100, controller.signal);
  controller.abort(reason);
  await expect(pausing).rejects.toBe(reason);
  expect(jest.getTimerCount()).toBe(0);
});
