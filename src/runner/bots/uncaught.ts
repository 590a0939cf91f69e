import { reportException } from '../../base/exception/report-exception.js';

/** Longest wait for the runner to have been told before the process ends, in milliseconds. */
const TELL_LIMIT_MS = 1_000;

/** What Node says of a promise that was rejected with something that is no error. */
const REJECTION = /^This error originated .* The promise rejected with the reason "(.*)"\.?$/s;

/**
 * Ends the process on an error that no code has caught, as Node does, but tells the runner of it instead of printing its whole stack.
 * A bot file that listens for such errors decides for itself.
 * @param told calls back when the runner has been told all
 */
export function endOnUncaught(told: (done: () => void) => void): void {
  process.on('uncaughtException', (error: unknown) => {
    if (process.listenerCount('uncaughtException') > 1) return;
    const { code, message }: { code?: unknown; message?: unknown } = Object(error);
    const reason = code === 'ERR_UNHANDLED_REJECTION' ? REJECTION.exec(String(message))?.[1] : undefined;
    if (reason === undefined) reportException('', error, { isFatal: true });
    else reportException('unhandled rejection', reason, { isFatal: true });
    setTimeout(() => process.exit(1), TELL_LIMIT_MS);
    told(() => process.exit(1));
  });
}
