/** The real runner, with one bot process per call. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plivoAccount } from './account.js';
import { dist } from './dist.js';
import { answer } from './questions.js';

const [botFile = ''] = process.argv.slice(2);
const { Runner } = await dist<typeof import('../../src/runner/runner.js')>('runner/runner.js');
const { plivo } = await dist<typeof import('../../src/carriers/plivo/carrier.js')>('carriers/plivo/carrier.js');
const { silentLogger } = await dist<typeof import('../../src/logger.js')>('logger.js');
const { PATH = '', HOME = '' } = process.env;

const stateDirectory = await mkdtemp(join(tmpdir(), 'voicebot-bench-'));

const runner = new Runner({
  botFile,
  host: '127.0.0.1',
  port: 0,
  provider: { kind: 'carrier', carrier: plivo, credentials: plivoAccount, machineDetection: 'off' },
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
  drainMs: 0,
  processEnvironment: { PATH, HOME },
  botEnvironment: {},
  logger: silentLogger,
});
runner.on('bot_output', (line) => console.error(line));
const started = runner.start();

const questions = {
  async url(): Promise<string> {
    await started;
    return runner.url;
  },
};
export type BenchRunner = typeof questions;

answer(questions, async () => {
  const stopped = runner.stop();
  await runner.stop(); // once more: at once
  await stopped;
  await rm(stateDirectory, { recursive: true, force: true });
});
