/**
 * Lets a started action continue for a while after its signal has aborted.
 * @param graceMs after `signal` aborts, in milliseconds
 * @param act gets a signal that aborts `graceMs` later, with the same reason
 * @throws the reason, when `signal` has aborted already; otherwise what `act` does
 */
export async function withGrace<T>(
  signal: AbortSignal | undefined,
  graceMs: number,
  act: (later: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (!signal) return act(undefined);
  signal.throwIfAborted();
  const later = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const abortLater = () => {
    timer = setTimeout(() => later.abort(signal.reason), graceMs);
  };
  signal.addEventListener('abort', abortLater, { once: true });
  try {
    return await act(later.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abortLater);
  }
}
