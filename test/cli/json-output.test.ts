import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Served, Voicebot } from '../e2e/voicebot.js';
import { type Finished, voicebot } from './voicebot.js';

let home: string;
let empty: string;
let run: Served;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-json-'));
  empty = mkdtempSync(join(tmpdir(), 'voicebot-json-empty-'));
  mkdirSync(join(home, 'project'));
  run = await Voicebot.serve(undefined, { home, cwd: join(home, 'project') });
}, 60_000);

afterAll(async () => {
  await run[Symbol.asyncDispose]();
  for (const directory of [home, empty]) rmSync(directory, { recursive: true, force: true });
}, 30_000);

/** Words of a command line; with a runner that is up, or in a state directory where there is none. */
function command(line: string, state: string, environment: Record<string, string> = {}): Promise<Finished> {
  return voicebot([...line.split(' '), '--json'], {
    cwd: join(state, state === home ? 'project' : ''),
    env: { VOICEBOT_HOME: state, ...environment },
  });
}

interface Told {
  version: number;
  event: string;
  code?: string;
  message?: string;
}

/** Every line is one event, and the last one ends with a line feed. */
function eventsOf({ stdout }: Finished): Told[] {
  expect(stdout === '' || stdout.endsWith('\n')).toBe(true);
  const events = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  for (const event of events) expect(event).toMatchObject({ version: 1, event: expect.stringMatching(/^[a-z_]+$/) });
  return events;
}

test.each([
  ['call --seconds 1', 'ended'],
  ['calls', 'calls'],
  ['dialout +15551234567 --wait', 'ended'],
  ['configure-number', 'numbers'],
  ['configure-number +12025550111 --url http://127.0.0.1:9/answer --dry-run', 'configured'],
  ['configure-number +12025550111', 'configured'],
  ['doctor --port 0', 'check'],
  ['init made --yes', 'created'],
])(
  '%s: nothing but events, %s among them',
  async (line, event) => {
    const finished = await command(line, home);
    expect(finished).toEqual({ ...finished, exitCode: 0 }); // all of it is shown when it is another
    expect(eventsOf(finished).map((one) => one.event)).toContain(event);
  },
  60_000,
);

test('calls with an identifier: the call', async () => {
  const { calls } = (await fetch(`${run.url}/calls`).then((response) => response.json())) as {
    calls: Array<{ id: string }>;
  };
  const finished = await command(`calls ${calls[0]?.id}`, home);
  expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
  expect(eventsOf(finished)).toEqual([{ version: 1, event: 'call', call: expect.objectContaining(calls[0] ?? {}) }]);
}, 30_000);

test('restore with nothing to restore: nothing at all', async () => {
  expect(await command('restore', home)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
}, 30_000);

test('--version: the version', async () => {
  const finished = await command('--version', empty);
  expect(finished).toMatchObject({ exitCode: 0, stderr: '' });
  expect(eventsOf(finished)).toMatchObject([{ event: 'version' }]);
});

test('run: from its start to its end', async () => {
  await using other = await Voicebot.serve(undefined, { home: empty, cwd: empty });
  other.signal('SIGINT');
  expect(await other.exit).toBe(130);
  expect(other.events.all.map(({ event }) => event)).toEqual(['ready', 'stopping']);
  for (const event of other.events.all) expect(event.version).toBe(1);
  expect(other.lines.all).toEqual([]);
}, 60_000);

const ACCOUNT = {
  CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00',
  CARRIER_AUTH_TOKEN: 'a-token',
  CARRIER_API_URL: 'http://127.0.0.1:9/v1',
};

describe('what fails is one error, with the same words for people', () => {
  test.each([
    ['run --prot 1', 2, {}],
    ['run --tunnel none', 3, ACCOUNT],
    ['run --dialin', 5, ACCOUNT],
    ['run nothing.ts --sandbox --port 0', 7, {}],
    ['call', 5, {}],
    ['call --answer-url http://127.0.0.1:9/', 8, {}],
    ['calls', 5, {}],
    ['dialout', 2, {}],
    ['dialout +15551234567', 5, {}],
    ['configure-number', 3, {}],
    ['configure-number', 5, ACCOUNT],
    ['configure-number 1234', 2, {}],
    ['restore --force', 2, {}],
    ['doctor --transport sip', 2, {}],
    ['init spoilt', 2, {}],
    ['init --template none', 2, {}],
    ['completion', 2, {}],
    ['completion bash', 2, {}],
    ['nothing', 2, {}],
  ] as const)(
    '%s: exit %i',
    async (line, exitCode, environment) => {
      if (line === 'init spoilt') {
        mkdirSync(join(empty, 'spoilt'));
        writeFileSync(join(empty, 'spoilt', 'package.json'), '{}');
      }
      const finished = await command(line, empty, environment);
      expect(finished).toMatchObject({ exitCode });
      const errors = eventsOf(finished).filter(({ event }) => event === 'error');
      expect(errors).toEqual([expect.objectContaining({ message: expect.any(String) })]);
      expect(finished.stderr).toContain(errors[0]?.message);
    },
    60_000,
  );
});

test('doctor, when something is not as it should be: a check that says so, and its exit code', async () => {
  const finished = await command('doctor --port 0 --tunnel none --transport carrier', empty, ACCOUNT);
  expect(finished).toMatchObject({ exitCode: 5 });
  const failures = eventsOf(finished).filter((one) => 'status' in one && one.status === 'failure');
  expect(failures.map(({ code }) => code)).toContain('VB_CARRIER_UNREACHABLE');
}, 60_000);
