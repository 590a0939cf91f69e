import { settlesWithin } from '../base/async/deadline.js';
import { VoicebotError } from '../base/errors.js';

/** How long each thing may take to close, in milliseconds. */
export const CLOSE_DEADLINE_MS = 5_000;

/** Closes one thing that was opened. */
export type Closer = () => Promise<unknown>;

/**
 * In reverse order, and each of them even when another fails.
 * @throws the first error that the user must know of
 */
export async function closeAll(opened: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of opened.reverse()) {
    await settlesWithin(
      close().catch((error: unknown) => failures.push(error)),
      CLOSE_DEADLINE_MS,
    );
  }
  if (failures[0] instanceof VoicebotError) throw failures[0];
}
