import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runner } from '../../src/runner/runner.js';
import type { RunnerOptions } from '../../src/runner/runner-options.js';
import { dist } from './dist.js';

const runnerModule = await dist<typeof import('../../src/runner/runner.js')>('runner/runner.js');
const { silentLogger } = await dist<typeof import('../../src/base/logger.js')>('base/logger.js');
const { PATH = '', HOME = '' } = process.env;

/** The real runner: on a port of its own, with one bot process per call; what it keeps goes when it is stopped. */
export async function startRunner(
  options: Pick<RunnerOptions, 'botFile' | 'provider'> & Partial<RunnerOptions>,
): Promise<{ runner: Runner; stateDirectory: string; stop: () => Promise<void> }> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'voicebot-bench-'));
  const runner = new runnerModule.Runner({
    host: '127.0.0.1',
    port: 0,
    insecureWebhooks: false,
    token: 'bench-runner-token',
    dialLimits: { perMinute: 0, atOnce: 0, secondsPerNumber: 0 },
    dialMaxSeconds: 900,
    ringSeconds: 45,
    maxCallSeconds: 3_600,
    silenceSeconds: 0,
    stateDirectory,
    callsPerProcess: 1,
    warm: 1,
    botMemoryBytes: 0,
    drainMs: 0,
    processEnvironment: { PATH, HOME },
    botEnvironment: {},
    logger: silentLogger,
    ...options,
  });
  await runner.start();
  const stop = async () => {
    const stopped = runner.stop();
    await runner.stop(); // once more: at once
    await stopped;
    await rm(stateDirectory, { recursive: true, force: true });
  };
  return { runner, stateDirectory, stop };
}
