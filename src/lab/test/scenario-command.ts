import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Failure } from '../scenario/call-story.js';

/** A command that takes longer is ended, in milliseconds. */
const LIMIT_MS = 60_000;

/** A command of a scenario, and where it runs. */
export interface ScenarioCommand {
  readonly name: 'before' | 'after';
  /** As a shell takes it. */
  readonly line: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a command to its end, or ends it: when the signal is aborted, or it takes too long. @returns a failure where it does not end with 0 */
export async function runCommand(
  { name, line, directory, environment }: ScenarioCommand,
  signal?: AbortSignal,
): Promise<Failure[]> {
  if (signal?.aborted) return [];
  const child = spawn(line, {
    shell: true,
    detached: process.platform !== 'win32', // a group of its own, so that what it has started ends with it
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const limit = AbortSignal.timeout(LIMIT_MS);
  const ends = signal ? AbortSignal.any([signal, limit]) : limit;
  const end = () => endGroup(child);
  ends.addEventListener('abort', end, { once: true });
  const said = Promise.all([child.stdout, child.stderr].map((stream) => text(stream as Readable)));
  try {
    const [code, bySignal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code === 0) return [];
    const how = limit.aborted
      ? `it had not ended after ${LIMIT_MS / 1_000} s`
      : `it ended with ${bySignal ?? `code ${code}`}`;
    const last = (await said).join('\n').trim().split('\n').at(-1);
    return [failureOf(name, line, last ? `${how}: ${last}` : how)];
  } catch (error) {
    return [failureOf(name, line, (error as Error).message)];
  } finally {
    ends.removeEventListener('abort', end);
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}

const failureOf = (name: ScenarioCommand['name'], line: string, happened: string): Failure => ({
  ...(name === 'before' && { kind: 'never_started' as const }),
  field: name,
  expected: `that the command succeeds: ${line}`,
  happened,
});
