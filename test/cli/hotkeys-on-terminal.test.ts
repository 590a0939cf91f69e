import { fileURLToPath } from 'node:url';
import { until } from '../e2e/processes.js';
import { inTerminal, inTerminals } from './in-terminal.js';

const PROGRAM = fileURLToPath(new URL('hotkeys-on-terminal.mjs', import.meta.url));
const NODE = `'${process.execPath}' '${PROGRAM}'`;
/** What `stty` says of a terminal in which lines are typed and Ctrl-C interrupts. */
const AS_BEFORE = [/(?<![-\w])icanon\b/, /(?<![-\w])echo\b/, /(?<![-\w])isig\b/];

inTerminals(
  'keys, a question, and Ctrl-C in a real terminal, which is as before in the end (needs script)',
  async () => {
    const shown = await inTerminal(`${NODE}; echo "exit $?"; stty -a; echo over`, async (terminal) => {
      await terminal.shows('active true');
      terminal.type('h');
      await terminal.shows('hello');
      terminal.type('d');
      await terminal.shows('number? ');
      terminal.type('+1555\r');
      await terminal.shows('answer <+1555>');
      terminal.type('d');
      await until(() => terminal.shown.split('number? ').length > 2, 'it asks again', 20_000);
      terminal.type('\x1b');
      await terminal.shows('answer <>');
      terminal.type('\x1a'); // Ctrl-Z, which would stop it for good
      terminal.type('\x03');
      await terminal.shows('over');
    });
    expect(shown).toContain('interrupted');
    expect(shown).toContain('exit 0');
    for (const mode of AS_BEFORE) expect(shown).toMatch(mode);
  },
);

inTerminals('a process that crashes leaves the terminal as it was (needs script)', async () => {
  const shown = await inTerminal(`${NODE}; echo "exit $?"; stty -a; echo over`, async (terminal) => {
    await terminal.shows('active true');
    terminal.type('c');
    await terminal.shows('over');
  });
  expect(shown).toContain('exit 1');
  for (const mode of AS_BEFORE) expect(shown).toMatch(mode);
});

inTerminals('a process in the background leaves the keyboard to its shell (needs script)', async () => {
  const shown = await inTerminal(`bash -c "set -m; ${NODE} & wait; echo over"`, (terminal) => terminal.shows('over'));
  expect(shown).toContain('active false');
});
