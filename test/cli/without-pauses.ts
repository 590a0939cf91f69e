const STEP_MS = 50;

/** Runs something for which pauses, such as those between repeated requests, take no time. */
export async function withoutPauses<T>(something: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
  try {
    let isOver = false;
    const result = something().finally(() => {
      isOver = true;
    });
    result.catch(() => {}); // it is awaited in the end
    while (!isOver) await jest.advanceTimersByTimeAsync(STEP_MS);
    return await result;
  } finally {
    jest.useRealTimers();
  }
}
