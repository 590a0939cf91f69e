import type { CliContext } from '../../terminal/context.js';
import { Hotkeys } from '../../terminal/hotkeys.js';
import type { Output } from '../../terminal/output.js';
import { interruptSelf } from '../../terminal/signals.js';
import { NameFilter } from './test-filters.js';

/** What the keys of `voicebot test --watch` do. */
export interface WatchActions {
  readonly runAll: () => void;
  readonly runFailed: () => void;
  readonly runAgain: () => void;
  /**
   * Ends the calls that go on, and begins none while a question is asked.
   * @param ask gives what was typed; undefined for all names
   */
  readonly chooseNames: (ask: () => Promise<NameFilter | undefined>) => Promise<void>;
}

/** The keys of `voicebot test --watch`; undefined where no person sits at a terminal. */
export function startWatchKeys(
  { runAll, runFailed, runAgain, chooseNames }: WatchActions,
  { keyboard, stderr }: CliContext,
  output: Output,
): Hotkeys | undefined {
  if (!keyboard || output.isForPrograms) return undefined;
  const askNames = async () => {
    const typed = await keys.prompt('Names with (/…/ for a regular expression, nothing for all): ');
    return typed === '' ? undefined : new NameFilter(typed);
  };
  const showHelp = () => output.line(keys.help);
  const keys: Hotkeys = new Hotkeys(
    keyboard,
    [
      { key: 'a', help: 'run all', run: runAll },
      { key: 'f', help: 'run only those that failed the last time', run: runFailed },
      { key: 'p', help: 'run those with a text in their names', run: () => chooseNames(askNames) },
      { key: '\r', label: 'Enter', help: 'run the same again', run: runAgain },
      { key: 'q', help: 'quit, as Ctrl+C does', run: () => interruptSelf() },
      { key: 'h', help: 'show these keys', run: showHelp },
      { key: '?', help: 'show these keys', run: showHelp },
    ],
    { output: stderr, onError: (error) => output.warn(error.message) },
  );
  return keys.isActive ? keys : undefined;
}
