import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningRunner, RunningRunners } from '../../src/runners/running-runners.js';
import { FakeRunner } from './fake-runner.js';
import { command } from './in-process.js';

let directory: string;
let runner: FakeRunner;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-sandbox-'));
  runner = await FakeRunner.start();
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const sandbox = (...args: string[]) => command(['sandbox', ...args], directory, { VOICEBOT_HOME: directory }).finished;

const announce = (change: Partial<RunningRunner>) => {
  const { port, url } = runner;
  return new RunningRunners(directory).announce({ version: 1, pid: process.pid, port, url, startedAt: 1, ...change });
};

const VARIABLES = {
  CARRIER: 'plivo',
  CARRIER_AUTH_ID: 'MA123',
  CARRIER_AUTH_TOKEN: 'carrier-token',
  CARRIER_API_URL: 'http://127.0.0.1:5060/v1',
  CARRIER_PHONE_NUMBER: '+12025550100',
  ROOMS_PROVIDER: 'daily',
  ROOMS_API_KEY: 'rooms-key',
  ROOMS_API_URL: 'http://127.0.0.1:5060/rooms-api/v1',
  ROOMS_PHONE_NUMBER: '+12025550100',
};
const ANNOUNCED = {
  url: 'http://127.0.0.1:5060',
  phoneToken: 'a-phone-token',
  number: '+12025550100',
  account: {
    authId: VARIABLES.CARRIER_AUTH_ID,
    authToken: VARIABLES.CARRIER_AUTH_TOKEN,
    apiUrl: VARIABLES.CARRIER_API_URL,
    roomsApiKey: VARIABLES.ROOMS_API_KEY,
    roomsApiUrl: VARIABLES.ROOMS_API_URL,
  },
};

test('shows the addresses and keys of both accounts, as lines of an environment file', async () => {
  await announce({ sandbox: ANNOUNCED });
  const { exitCode, stdout, stderr } = await sandbox();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = Object.entries(VARIABLES).map(([name, value]) => `${name}=${value}\n`);
  expect(stdout).toBe(lines.join(''));
});

test('tells them in one event with --json', async () => {
  await announce({ sandbox: ANNOUNCED });
  const { events } = await sandbox('--json', '--port', String(runner.port));
  expect(events).toEqual([{ version: 1, event: 'sandbox', url: ANNOUNCED.url, variables: VARIABLES }]);
});

test('says that a runner with a real account has no sandbox', async () => {
  await announce({});
  const { exitCode, stdout, stderr } = await sandbox();
  expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
  expect(stderr).toContain(`the one at ${runner.url} is on a real carrier, not on the sandbox`);
});
