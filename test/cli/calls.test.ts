import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRecord } from '../../src/call/call-record.js';
import { CALL, FakeRunner, json, NO_SUCH_CALL, NOTHING, problem } from './fake-runner.js';
import { command } from './in-process.js';

const TOKEN = 'a-token-of-the-runner';
const INBOUND: CallRecord = {
  id: '5f5a9c1e-0000-4000-8000-000000000001',
  direction: 'inbound',
  from: 'sip:\u001b[31mred@example.com',
  to: '+12025550100',
  state: 'ended',
  attempt: 2,
  startedAt: 10_000,
  endedAt: 13_250,
  endReason: 'caller_hung_up',
};

let directory: string;
let runner: FakeRunner;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-calls-'));
  runner = await FakeRunner.start();
  await runner.announce(directory, TOKEN);
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const calls = (...args: string[]) => command(['calls', ...args], directory, { VOICEBOT_HOME: directory }).finished;

test('lists the calls on standard output, newest first, in columns', async () => {
  const dialled: CallRecord = { ...CALL, state: 'ended', endedAt: 1_800, endReason: 'busy' };
  runner.reads = [json(200, { version: 1, calls: [dialled, INBOUND] })];
  const { exitCode, stdout, stderr } = await calls();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    'CALL                                  DIRECTION  FROM                 TO            STATE                      SECONDS',
    '5f5a9c1e-0000-4000-8000-000000000001  inbound    sip:red@example.com  +12025550100  ended: the caller hung up  3.2',
    'out_1                                 outbound   +12025550100         +15551234567  ended: the line was busy   0.8',
    '',
  ]);
  expect(runner.requests).toMatchObject([{ url: '/calls', headers: { authorization: `Bearer ${TOKEN}` } }]);
});

test('says so when there were none', async () => {
  runner.reads = [json(200, { version: 1, calls: [] })];
  const { exitCode, stdout, stderr } = await calls();
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(stderr).toBe(`The runner at ${runner.url} has had no calls yet.\n`);
});

test('the calls of a cluster name their machines, and when some are missing it says so', async () => {
  const dialled = { ...CALL, state: 'ended', endedAt: 1_800, endReason: 'busy', machine: 'one', runner: 'a1' };
  runner.reads = [json(200, { version: 1, calls: [dialled, { ...INBOUND, machine: 'two' }], isWhole: false })];
  const { exitCode, stdout, stderr } = await calls();
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).at(-1))).toEqual(['MACHINE', 'two', 'one', '']);
  expect(stderr).toContain('Redis of the cluster is away');
  const { events } = await calls('--json');
  expect(events.find(({ event }) => event === 'calls')).toMatchObject({
    isWhole: false,
    calls: [{ machine: 'two' }, { machine: 'one' }],
  });
});

test('runners of one machine are told apart by their processes', async () => {
  const at = (id: string, machine: string, pid: number) => ({ ...CALL, id, machine, pid, runner: `${pid}` });
  const all = [at('out_1', 'one', 7), at('out_2', 'one', 8), at('out_3', 'two', 9), at('out_4', 'two', 9)];
  runner.reads = [json(200, { version: 1, calls: all, isWhole: true })];
  const places = (await calls()).stdout.split('\n').map((line) => line.split(/ {2,}/).at(-1));
  expect(places).toEqual(['MACHINE', 'one (process 7)', 'one (process 8)', 'two', 'two', '']);
});

test('a live call has lasted until now', async () => {
  runner.reads = [json(200, { version: 1, calls: [{ ...CALL, startedAt: Date.now() - 5_000 }] })];
  expect((await calls()).stdout).toMatch(/dialling {2}5\.\d\n$/);
});

test('shows one call', async () => {
  runner.reads = [json(200, { ...INBOUND, from: '+12025550199', answeredAt: 10_500 })];
  const { exitCode, stdout } = await calls(INBOUND.id);
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toEqual([
    `call       ${INBOUND.id}`,
    'direction  inbound',
    'from       +12025550199',
    'to         +12025550100',
    'state      ended: the caller hung up',
    'reason     caller_hung_up',
    'bot        2',
    'started    1970-01-01T00:00:10.000Z',
    'answered   1970-01-01T00:00:10.500Z',
    'ended      1970-01-01T00:00:13.250Z',
    'seconds    2.7',
    '',
  ]);
  expect(runner.requests[0]?.url).toBe(`/calls/${INBOUND.id}`);
});

test('an unknown call: exit 2, and how to see those there are', async () => {
  runner.reads = [NO_SUCH_CALL, json(200, { version: 1, calls: [INBOUND] })];
  const { exitCode, stdout, stderr } = await calls('out_9');
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`the runner at ${runner.url} knows no call out_9`);
  expect(stderr).toContain('npx voicebot calls');
});

test('an identifier that is empty is none: exit 2, and the runner is not asked', async () => {
  const { exitCode, stderr } = await calls('');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('the identifier of the call is empty');
  expect(runner.requests).toEqual([]);
});

test('dots lead to no other address of the runner', async () => {
  runner.reads = [json(200, { version: 1, calls: [INBOUND] })];
  const { exitCode, stderr } = await calls('..');
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`the runner at ${runner.url} knows no call ..`);
});

test('the beginning of an identifier that the runner prints is enough', async () => {
  runner.reads = [NO_SUCH_CALL, json(200, { version: 1, calls: [{ ...INBOUND, id: 'other' }, INBOUND] })];
  const { exitCode, stdout } = await calls(INBOUND.id.slice(0, 8));
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`call       ${INBOUND.id}\n`);
});

test('a beginning that several calls have: exit 2, naming them', async () => {
  const [one, two] = [`${INBOUND.id}1`, `${INBOUND.id}2`];
  runner.reads = [
    NO_SUCH_CALL,
    json(200, {
      version: 1,
      calls: [
        { ...INBOUND, id: one },
        { ...INBOUND, id: two },
      ],
    }),
  ];
  const { exitCode, stderr } = await calls(INBOUND.id.slice(0, 8));
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`2 calls begin with ${INBOUND.id.slice(0, 8)}: ${one}, ${two}`);
});

test('with --json: one event', async () => {
  runner.reads = [json(200, { version: 1, calls: [INBOUND] }), json(200, INBOUND)];
  expect((await calls('--json')).events).toEqual([{ version: 1, event: 'calls', calls: [INBOUND] }]);
  expect((await calls('x', '--json')).events).toEqual([
    { version: 1, event: 'call', callId: INBOUND.id, call: INBOUND },
  ]);
});

test('a runner that does not know us: exit 4, with its words', async () => {
  runner.reads = [problem(401, { code: 'VB_UNAUTHORISED', message: 'Who asks?', hint: 'Set VOICEBOT_TOKEN.' })];
  const { exitCode, stderr } = await calls('--server', runner.url);
  expect(exitCode).toBe(4);
  expect(stderr).toContain('Who asks?\n  Set VOICEBOT_TOKEN.');
});

test('a runner that tells strangers nothing: exit 4, and the variable to set', async () => {
  runner.reads = [NOTHING];
  for (const args of [[], ['out_1']]) {
    const { exitCode, stderr } = await calls(...args, '--server', runner.url);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('Set VOICEBOT_TOKEN to the token of the runner there.');
    expect(stderr).toContain('VB_UNAUTHORISED');
  }
});

test('names what is wrong with both options', async () => {
  const { exitCode, stderr } = await calls('--port', 'x', '--server', 'http://example.com');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--port x: must be a whole number');
  expect(stderr).toContain('--server http://example.com: must be an https address');
});

test('with nothing there: exit 5', async () => {
  const { url } = runner;
  await runner[Symbol.asyncDispose]();
  expect((await calls()).exitCode).toBe(5);
  expect((await calls('--server', url)).exitCode).toBe(5);
});
