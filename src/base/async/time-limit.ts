/**
 * A signal that aborts after `ms` milliseconds with a `TimeoutError`, and keeps no process alive. In place of `AbortSignal.timeout`,
 * whose time never passes on Node 20 once the memory is tidied, if nothing but an `AbortSignal.any` holds it.
 * @see https://github.com/nodejs/node/issues/57736
 * @param startTimer by which clock `ms` counts. Default: that of the process
 */
export function timeLimit(ms: number, startTimer: StartUnref = setTimeout): AbortSignal {
  const limit = new AbortController();
  const late = () => limit.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  startTimer(late, ms).unref();
  return limit.signal;
}

/** Starts a timer that can be let go of. */
type StartUnref = (act: () => void, ms: number) => { unref(): unknown };
