import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { settlesWithin } from '../../base/async/deadline.js';
import { machineSignal, machineTimeout } from '../../base/clock/process-clock.js';
import { errorText } from '../../base/error-text.js';
import { basicEnvironment } from '../../base/process/basic-environment.js';
import { killGroup } from '../../base/process/kill-group.js';
import type { Environment } from '../../config/environment.js';
import type { Failure } from '../scenario/call-story.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';

/** A command that takes longer is ended, in milliseconds. */
const LIMIT_MS = 60_000;
/** How long the last words of a command that has ended are waited for, in milliseconds: what it has left behind may keep its output open. */
const LAST_WORDS_MS = 500;

/** What of a scenario they need. */
export type CommandedScenario = Pick<PlacedScenario, 'before' | 'after' | 'file' | 'environment'>;

/** The commands around the calls of a scenario, as a shell takes them: in the folder of its file, with its environment and no other. */
export class ScenarioCommands {
  readonly #begun: ChildProcess[] = [];

  /** @param environment of this process */
  constructor(
    private readonly scenario: CommandedScenario,
    private readonly environment: Environment,
  ) {}

  /**
   * Runs a command, where the scenario has it, to its end, or ends it: when the signal is aborted, or it takes too long. What it leaves
   * running goes on.
   * @returns a failure where it does not end with 0
   */
  async run(name: 'before' | 'after', signal?: AbortSignal): Promise<Failure[]> {
    const { file, environment, [name]: line } = this.scenario;
    if (line === undefined || signal?.aborted) return [];
    const child = spawn(line, {
      shell: true,
      detached: process.platform !== 'win32', // a group of its own, so that what it has started ends with it
      cwd: dirname(file),
      env: { ...basicEnvironment(this.environment), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#begun.push(child);
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => said.push(chunk));
    const silent = once(child, 'close');
    silent.catch(() => {}); // of a command that could not be started
    const limit = machineSignal(LIMIT_MS);
    const ends = signal ? AbortSignal.any([signal, limit]) : limit;
    const end = () => killGroup(child);
    ends.addEventListener('abort', end, { once: true });
    try {
      const [code, bySignal] = (await once(child, 'exit')) as [number | null, string | null];
      if (code === 0) return [];
      const how = limit.aborted
        ? `it had not ended after ${LIMIT_MS / 1_000} s`
        : `it ended with ${bySignal ?? `code ${code}`}`;
      await settlesWithin(silent, LAST_WORDS_MS, machineTimeout);
      const last = Buffer.concat(said).toString().trim().split('\n').at(-1);
      return [failureOf(name, line, last ? `${how}: ${last}` : how)];
    } catch (error) {
      return [failureOf(name, line, errorText(error))];
    } finally {
      ends.removeEventListener('abort', end);
    }
  }

  /** Ends what the commands have left running, such as a server for the calls. */
  close(): void {
    for (const child of this.#begun) killGroup(child);
  }
}

const failureOf = (name: 'before' | 'after', line: string, happened: string): Failure => ({
  ...(name === 'before' && { kind: 'before_failed' as const }),
  field: name,
  expected: `that the command succeeds: ${line}`,
  happened,
});
