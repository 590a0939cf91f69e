import { PassThrough } from 'node:stream';
import { main } from '../../src/cli/main.js';
import type { Environment } from '../../src/config/environment.js';
import type { OutputStream } from '../../src/terminal/output.js';
import type { Keyboard } from './keyboard.js';
import type { Finished } from './voicebot.js';

export interface RunningCommand {
  readonly finished: Promise<Finished & { events: Array<Record<string, unknown>> }>;
  /** Resolves when standard error or standard output has had this text. */
  shown(text: string): Promise<void>;
}

/** An event of `--json` output without its time, which it must have. */
export function eventOf(line: string): Record<string, unknown> {
  const { time, ...event } = JSON.parse(line);
  if (new Date(time).toISOString() !== time) throw new Error(`the time of an event is ${time}`);
  return event;
}

/** Of a line of Node.js that nothing is known of, so that the tests see the same on every line. */
const UNKNOWN_NODE = '99.0.0';

/**
 * Runs a command line inside this process, with streams of its own.
 * @param keyboard of a person at the terminal; default: there is none
 * @param nodeVersion of the Node.js that it takes itself to run on
 */
export function command(
  args: readonly string[],
  directory: string,
  environment: Environment = {},
  stdin = '',
  keyboard?: Keyboard,
  nodeVersion = UNKNOWN_NODE,
): RunningCommand {
  const texts = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const capture = (name: keyof typeof texts): OutputStream =>
    new PassThrough().on('data', (bytes) => {
      texts[name] += bytes;
      for (const check of waiting) check();
    });
  const context = {
    stdout: capture('stdout'),
    stderr: capture('stderr'),
    readStdin: async () => stdin,
    environment,
    directory,
    keyboard: keyboard?.asStream,
    nodeVersion,
  };
  const finished = main(args, context).then(async (exitCode) => {
    await new Promise(setImmediate); // the streams hand on what they hold
    const lines = args.includes('--json') ? texts.stdout.split('\n').filter(Boolean) : [];
    return { exitCode, ...texts, events: lines.map(eventOf) };
  });
  const shown = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!(texts.stdout + texts.stderr).includes(text)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      void finished.then(() => reject(new Error(`never shown: ${text}\n${texts.stderr}`)));
    });
  return { finished, shown };
}
