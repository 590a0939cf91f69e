import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** As `--help` lists them. */
export const COMMANDS = [
  'init',
  'run',
  'call',
  'test',
  'replay',
  'load',
  'mcp',
  'dialout',
  'campaign',
  'calls',
  'calling-rules',
  'prices',
  'do-not-call',
  'sandbox',
  'configure-number',
  'restore',
  'doctor',
  'certify',
  'completion',
] as const;

export interface Finished {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the real command, compiled, to its end. */
export async function voicebot(
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; nodeArgs?: string[]; cwd?: string } = {},
): Promise<Finished> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), `${PACKAGE_ROOT}bin/voicebot.js`, ...args], {
    env: { PATH, HOME, ...options.env },
    cwd: options.cwd ?? PACKAGE_ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode: exitCode as number | null, stdout, stderr };
}
