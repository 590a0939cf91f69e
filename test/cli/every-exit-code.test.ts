import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningRunners } from '../../src/runners/running-runners.js';
import { EXIT } from '../../src/terminal/exit-codes.js';
import { Voicebot } from '../e2e/voicebot.js';
import { FakeRunner } from './fake-runner.js';
import { command } from './in-process.js';
import { PACKAGE_ROOT, voicebot } from './voicebot.js';

let directory: string;
/** A provider that knows nobody, on a port that is thereby taken. */
let refusing: Server;
let port: number;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-exit-'));
  refusing = createServer((_request, response) => response.writeHead(401).end('{"error":"no"}')).listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  port = (refusing.address() as AddressInfo).port;
  writeFileSync(join(directory, 'broken.mjs'), "throw new Error('broken');\n");
  writeFileSync(join(directory, 'bot.mjs'), 'export async function bot() {}\n');
});

afterAll(() => {
  refusing.closeAllConnections();
  refusing.close();
  rmSync(directory, { recursive: true });
});

const account = () => ({
  CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00',
  CARRIER_AUTH_TOKEN: 'a-token',
  CARRIER_API_URL: `http://127.0.0.1:${port}/v1`,
});

/** With `PORT` for the port that is taken. */
const COMMANDS: ReadonlyArray<
  [exitCode: number, line: string, environment: () => Record<string, string>, says: string]
> = [
  [EXIT.done, 'completion bash', () => ({}), ''],
  [EXIT.usage, 'restore --force', () => ({}), '--force needs a number'],
  [EXIT.configuration, 'configure-number', () => ({}), 'VB_CREDENTIALS_MISSING'],
  [EXIT.refused, 'configure-number', account, 'VB_CREDENTIALS_REFUSED'],
  [EXIT.network, 'calls', () => ({}), 'VB_RUNNER_NOT_FOUND'],
  [EXIT.portInUse, 'run bot.mjs --sandbox --port PORT', () => ({}), 'VB_PORT_IN_USE'],
  [EXIT.botFile, 'run broken.mjs --sandbox --port 0', () => ({}), 'VB_BOT_LOAD_FAILED'],
  [EXIT.callFailed, 'call --answer-url http://127.0.0.1:PORT/ --seconds 1', () => ({}), 'The call did not succeed'],
];

test.each(COMMANDS)(
  'exit %i: voicebot %s',
  async (exitCode, line, environment, says) => {
    const args = line.replace('PORT', String(port)).split(' ');
    const finished = await command(args, directory, { VOICEBOT_HOME: join(directory, 'home'), ...environment() })
      .finished;
    expect(finished).toEqual({ ...finished, exitCode });
    expect(finished.stderr).toContain(says);
  },
  30_000,
);

test('exit 1: what nobody has thought of, with the way to learn more', async () => {
  jest.spyOn(RunningRunners.prototype, 'find').mockRejectedValue(new TypeError('as ordered'));
  const { exitCode, stderr } = await command(['calls'], directory).finished;
  jest.restoreAllMocks();
  expect(exitCode).toBe(EXIT.unexpected);
  expect(stderr).toContain('as ordered');
  expect(stderr).toContain('--verbose');
});

const SIGNALS = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

test.each(SIGNALS)('%s ends the real command with exit %i', async (signal, exitCode) => {
  await using runner = await FakeRunner.start();
  const asked = new Promise<void>((resolve) => {
    runner.starts = [() => resolve()];
  });
  await using dialout = new Voicebot(['dialout', '+15551234567', '--server', runner.url], { home: directory });
  await asked;
  dialout.signal(signal);
  expect(await dialout.exit).toBe(exitCode);
});

test('a Node that is too old: exit 1, with one line saying which is needed', async () => {
  const preload = join(directory, 'old-node.cjs');
  writeFileSync(preload, "Object.defineProperty(process.versions, 'node', { value: '20.9.0' });");
  expect(await voicebot(['--version'], { nodeArgs: ['--require', preload] })).toEqual({
    exitCode: EXIT.unexpected,
    stdout: '',
    stderr: 'voicebot needs Node.js 20.18.1 or newer, best 24; this is 20.9.0: https://nodejs.org/en/download\n',
  });
});

test('these are all the exit codes that docs/cli.md tells of', () => {
  const [, section = ''] = readFileSync(`${PACKAGE_ROOT}docs/cli.md`, 'utf8').split('## Exit codes');
  const [table = ''] = section.split('\n## ');
  const documented = [...table.matchAll(/^\| (`\d+`(?:, `\d+`)*) \|/gm)].flatMap(([, codes = '']) =>
    [...codes.matchAll(/\d+/g)].map(([code]) => Number(code)),
  );
  const driven = new Set([EXIT.unexpected, ...COMMANDS.map(([code]) => code), ...SIGNALS.map(([, code]) => code)]);
  expect([...driven].toSorted((a, b) => a - b)).toEqual(documented.toSorted((a, b) => a - b));
  expect(documented).toEqual(expect.arrayContaining(Object.values(EXIT)));
});
