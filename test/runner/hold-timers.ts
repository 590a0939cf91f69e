/** From here on the runner's limits pass only when the test says so, with jest.advanceTimersByTime. */
export function holdTimers(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'clearImmediate',
      'clearInterval',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'setInterval',
    ],
  });
}
