import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../e2e/processes.js';

/** `script` of util-linux: runs a command in a terminal of its own, and is that terminal's keyboard and screen. */
const hasTerminals = /util-linux/.test(String(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout));

/** A test that needs one. */
export const inTerminals = hasTerminals ? test : test.skip;

export interface Terminal {
  shown: string;
  shows(text: string, limitMs?: number): Promise<void>;
  type(text: string): void;
}

/** Runs a shell's command in a terminal. @returns all that it has shown */
export async function inTerminal(
  command: string,
  use: (terminal: Terminal) => Promise<void>,
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<string> {
  const child = spawn('script', ['-qec', command, '/dev/null'], { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const terminal: Terminal = {
    shown: '',
    shows: (text, limitMs = 20_000) =>
      until(() => terminal.shown.includes(text), `${text} in ${terminal.shown}`, limitMs),
    type: (text) => child.stdin.write(text),
  };
  child.stdout.on('data', (data) => {
    terminal.shown += String(data);
  });
  const ended = once(child, 'close');
  try {
    await use(terminal);
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
  return terminal.shown;
}
