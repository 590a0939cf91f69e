import type { RunnerStatus } from '../../call/runner-status.js';
import { ExceptionNote } from './exception-note.js';

/** The bot file was saved, and does not load: where, and what callers get until it does. */
export function NotReloaded({ status }: { status: RunnerStatus }) {
  const { notReloaded, botFails = false } = status;
  if (!notReloaded) return null;
  const [error] = notReloaded.error.split('\n', 1);
  return (
    <div class="conclusion bad" role="alert">
      <p>
        The bot as it was saved last does not load: {error}.{' '}
        {botFails
          ? 'No bot can be loaded with the code from before either: callers get none.'
          : 'Callers get the bot as it was before, and calls that go on keep the code that they have.'}{' '}
        Correct it and save it again: the runner loads it by itself.
      </p>
      <ExceptionNote exception={notReloaded} />
    </div>
  );
}
