/** Starts a timer: `setTimeout`, or that of the machine's clock. */
type StartTimer = (act: () => void, ms: number) => ReturnType<typeof setTimeout>;

const byProcessClock: StartTimer = (act, ms) => setTimeout(act, ms);

/**
 * Settles as `promise` does, unless `limitMs` passes first; then rejects with what `onLate` returns.
 * The timer never keeps the process alive on its own account once the promise has settled.
 * @param startTimer by which clock `limitMs` counts. Default: that of the process
 */
export async function withDeadline<T>(
  promise: Promise<T>,
  limitMs: number,
  onLate: () => Error,
  startTimer = byProcessClock,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = startTimer(() => reject(onLate()), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves true when `promise` settles (either way) within `limitMs`, false when it does not. */
export async function settlesWithin(
  promise: Promise<unknown>,
  limitMs: number,
  startTimer = byProcessClock,
): Promise<boolean> {
  const settled = promise.then(
    () => {},
    () => {},
  );
  return withDeadline(settled, limitMs, () => new Error('late'), startTimer).then(
    () => true,
    () => false,
  );
}

/** Whether it is what a wait rejects with that the signal has aborted: that of `fetch`, of a timer. */
export const isAbortOf = (signal: AbortSignal, error: unknown): boolean =>
  signal.aborted && (error as Error | undefined)?.name === 'AbortError';

/** Settles as `promise` does, unless the signal aborts first; then rejects with its reason, whatever the promise does. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true, signal: settled.signal });
  });
  return Promise.race([promise, aborted]).finally(() => settled.abort());
}
