import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../src/cli/exit-codes.js';
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
  writeFileSync(join(directory, 'broken.ts'), "throw new Error('broken');\n");
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
const HERE: ReadonlyArray<[exitCode: number, line: string, environment: () => Record<string, string>, says: string]> = [
  [EXIT.done, 'completion bash', () => ({}), ''],
  [EXIT.usage, 'restore --force', () => ({}), '--force needs a number'],
  [EXIT.configuration, 'configure-number', () => ({}), 'VB_CREDENTIALS_MISSING'],
  [EXIT.refused, 'configure-number', account, 'VB_CREDENTIALS_REFUSED'],
  [EXIT.network, 'configure-number', () => ({ ...account(), CARRIER_API_URL: 'http://127.0.0.1:9/v1' }), 'VB_CARRIER'],
  [EXIT.network, 'calls', () => ({}), 'VB_RUNNER_NOT_FOUND'],
  [EXIT.portInUse, 'run --sandbox --port PORT', () => ({}), 'VB_PORT_IN_USE'],
  [EXIT.botFile, 'run broken.ts --sandbox --port 0', () => ({}), 'VB_BOT_LOAD_FAILED'],
  [EXIT.callFailed, 'call --answer-url http://127.0.0.1:PORT/ --seconds 1', () => ({}), 'The call did not succeed'],
];

test.each(HERE)(
  'exit %i: voicebot %s',
  async (exitCode, line, environment, says) => {
    const finished = await voicebot(line.replace('PORT', String(port)).split(' '), {
      cwd: directory,
      env: { VOICEBOT_HOME: join(directory, 'home'), ...environment() },
    });
    expect({ ...finished, exitCode: finished.exitCode }).toMatchObject({ exitCode });
    expect(finished.stderr).toContain(says);
  },
  30_000,
);

/** Driven through the real command by another test, which is named by a part of its title. */
const ELSEWHERE: ReadonlyArray<[exitCode: number, file: string, title: string]> = [
  [EXIT.unexpected, 'test/cli/command-line.test.ts', 'a Node that is too old gets one line'],
  [129, 'test/e2e/start-and-stop.test.ts', "['SIGHUP', 129]"],
  [130, 'test/e2e/start-and-stop.test.ts', "['SIGINT', 130]"],
  [143, 'test/e2e/start-and-stop.test.ts', "['SIGTERM', 143]"],
];

test.each(ELSEWHERE)('exit %i: see %s, %s', (_exitCode, file, title) => {
  expect(readFileSync(PACKAGE_ROOT + file, 'utf8')).toContain(title);
});

test('every exit code that docs/cli.md tells of is driven through the real command', () => {
  const [, section = ''] = readFileSync(`${PACKAGE_ROOT}docs/cli.md`, 'utf8').split('## Exit codes');
  const [table = ''] = section.split('\n## ');
  const documented = [...table.matchAll(/^\| (`\d+`(?:, `\d+`)*) \|/gm)].flatMap(([, codes = '']) =>
    [...codes.matchAll(/\d+/g)].map(([code]) => Number(code)),
  );
  const driven = new Set([...HERE, ...ELSEWHERE].map(([exitCode]) => exitCode));
  expect([...driven].toSorted((a, b) => a - b)).toEqual(documented.toSorted((a, b) => a - b));
  expect(documented).toEqual(expect.arrayContaining(Object.values(EXIT)));
});
