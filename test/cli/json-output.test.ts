import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, type RunningCommand } from './in-process.js';
import { withoutPauses } from './without-pauses.js';

/** State directory and working directory of a runner that is up, and of nobody. */
let home: string;
let empty: string;
let run: RunningCommand;

const LEAVES_AT_ONCE = `export const bot = ({ websocket }) =>
  new Promise((resolve) => websocket.once('message', resolve));`;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-json-'));
  empty = mkdtempSync(join(tmpdir(), 'voicebot-json-empty-'));
  writeFileSync(join(home, 'bot.mjs'), LEAVES_AT_ONCE);
  mkdirSync(join(empty, 'spoilt'));
  writeFileSync(join(empty, 'spoilt', 'package.json'), '{}');
  run = start('run bot.mjs --sandbox --dialin --port 0', home);
  await run.shown('"event":"ready"');
}, 60_000);

afterAll(async () => {
  process.emit('SIGINT', 'SIGINT');
  await run.finished;
  for (const directory of [home, empty]) rmSync(directory, { recursive: true, force: true });
}, 60_000);

const start = (line: string, directory: string, environment: Record<string, string> = {}) =>
  command([...line.split(' '), '--json'], directory, { VOICEBOT_HOME: directory, ...environment });

/** Runs it to its end. Every line of its standard output is an event, and the last one ends with a line feed. */
async function outcomeOf(line: string, directory: string, environment?: Record<string, string>) {
  const finished = await start(line, directory, environment).finished;
  expect(finished.stdout === '' || finished.stdout.endsWith('\n')).toBe(true);
  for (const event of finished.events) {
    expect(event).toMatchObject({ version: 1, event: expect.stringMatching(/^[a-z_]+$/) });
  }
  return finished;
}

test.each([
  ['call', 'ended'],
  ['calls', 'calls'],
  ['sandbox', 'sandbox'],
  ['dialout +15551234567', 'dialling'],
  ['configure-number', 'numbers'],
  ['configure-number +12025550111 --url http://127.0.0.1:9/answer --dry-run', 'configured'],
  ['configure-number +12025550111', 'configured'],
  ['doctor bot.mjs --port 0', 'check'],
  ['init made --yes', 'created'],
  ['--version', 'version'],
])(
  '%s: nothing but events, %s among them',
  async (line, event) => {
    const finished = await outcomeOf(line, home);
    expect(finished).toEqual({ ...finished, exitCode: 0 }); // all of it is shown when it is another
    expect(finished.events.map((one) => one.event)).toContain(event);
  },
  30_000,
);

test('call: from the ringing on every event names the call', async () => {
  const { events } = await outcomeOf('call', home);
  const [, ...named] = events;
  const { callId } = Object(events.at(-1));
  expect(callId).toEqual(expect.any(String));
  expect(named.map((one) => [one.event, one.callId])).toEqual(named.map((one) => [one.event, callId]));
}, 30_000);

test('restore with nothing to restore: nothing at all', async () => {
  expect(await outcomeOf('restore', home)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

const ACCOUNT = {
  CARRIER_AUTH_ID: 'MATESTTESTTESTTEST00',
  CARRIER_AUTH_TOKEN: 'a-token',
  CARRIER_API_URL: 'http://127.0.0.1:9/v1',
};

/** With what to do, where there is something to do, and a command that can be typed as it stands. */
function expectedError(fields: object = {}) {
  return expect.objectContaining({
    version: 1,
    event: 'error',
    code: expect.stringMatching(/^VB_[A-Z_]+$/),
    message: expect.any(String),
    docs: expect.stringMatching(/^file:.+docs\/errors\.md#vb_[a-z_]+$/),
    ...fields,
  });
}

test('an option that no command has: the same error of each, with the way to its help', async () => {
  const { stdout } = await command(['--help'], empty).finished;
  const [, listed = ''] = stdout.split('Commands:');
  const commands = [...listed.matchAll(/^ {2}(\w\S*)/gm)].map(([, name = '']) => name);
  expect(commands).toEqual(expect.arrayContaining(['run', 'call', 'completion']));
  for (const name of commands.filter((one) => one !== 'help')) {
    const finished = await outcomeOf(`${name} --no-such-option`, empty);
    const next = `npx voicebot ${name} --help`;
    const error = expectedError({ code: 'VB_USAGE', hint: `See: ${next}`, next });
    expect([name, finished.exitCode, finished.events]).toEqual([name, 2, [error]]);
    expect(finished.stderr).toBe(`✖ ${finished.events[0]?.message}\n  See: ${next}\n`);
  }
});

describe('what fails is one error, with the same words for people', () => {
  async function expectOneError(line: string, exitCode: number, environment: Record<string, string>): Promise<void> {
    const { events, stderr, ...finished } = await outcomeOf(line, empty, environment);
    expect(finished).toMatchObject({ exitCode });
    const errors = events.filter(({ event }) => event === 'error');
    expect(errors).toEqual([expectedError()]);
    expect(errors).toEqual(events.slice(-1));
    expect(stderr).toContain(errors[0]?.message);
  }

  test.each([
    ['run --prot 1', 2, {}],
    ['run --tunnel none', 3, ACCOUNT],
    ['run nothing.ts --sandbox --port 0', 7, {}],
    ['call', 5, {}],
    ['call --answer-url http://127.0.0.1:9/', 8, {}],
    ['calls', 5, {}],
    ['dialout', 2, {}],
    ['dialout +15551234567', 5, {}],
    ['configure-number', 3, {}],
    ['configure-number 1234', 2, {}],
    ['restore --force', 2, {}],
    ['doctor --transport sip', 2, {}],
    ['init spoilt', 2, {}],
    ['init --template none', 2, {}],
    ['completion', 2, {}],
    ['completion bash', 2, {}],
    ['nothing', 2, {}],
  ] as const)('%s: exit %i', expectOneError, 30_000);

  test('run on an account that cannot be reached: exit 5', () =>
    withoutPauses(() => expectOneError('run --dialin --port 0', 5, ACCOUNT)));
});

test('doctor, when something is not as it should be: a check that says so, and its exit code', async () => {
  writeFileSync(join(empty, 'bot.mjs'), 'export const answer = 42;\n');
  const line = 'doctor bot.mjs --port 0 --tunnel none --transport carrier';
  const { exitCode, events } = await withoutPauses(() => outcomeOf(line, empty, ACCOUNT));
  expect(exitCode).toBe(5);
  expect(events.filter(({ status }) => status === 'failure')).toMatchObject([
    { check: 'credentials', code: 'VB_CARRIER_UNREACHABLE' },
    { check: 'bot', code: 'VB_BOT_LOAD_FAILED' },
  ]);
  expect(events.at(-1)).toEqual(expectedError({ code: 'VB_CARRIER_UNREACHABLE' }));
}, 30_000);

test('run: from its start to its end', async () => {
  process.emit('SIGINT', 'SIGINT');
  const { exitCode, events } = await run.finished;
  expect(exitCode).toBe(130);
  expect(events[0]?.event).toBe('ready');
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['call', 'stopping']));
  for (const event of events) expect(event).toMatchObject({ version: 1 });
}, 30_000);
