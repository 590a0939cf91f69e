import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRecord } from '../../src/call/call-record.js';
import { errorDocs } from '../../src/terminal/error-docs.js';
import { CALL, FakeRunner, json, problem } from './fake-runner.js';
import { command } from './in-process.js';

const TOKEN = 'a-token-of-the-runner';

let directory: string;
let runner: FakeRunner;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-dialout-'));
  runner = await FakeRunner.start();
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** In an empty folder and with a state directory of its own, so that nothing of this machine takes part. */
const start = (args: string, environment: Record<string, string> = {}) =>
  command(['dialout', ...args.split(' ')], directory, { VOICEBOT_HOME: directory, ...environment });
const dialout = (args: string, environment?: Record<string, string>) => start(args, environment).finished;

const record = (change: Partial<CallRecord>) => json(200, { ...CALL, ...change });

test('has the running runner dial, prints the call on standard output and says how to follow it', async () => {
  await runner.announce(directory, TOKEN);
  const { exitCode, stdout, stderr } = await dialout('+15551234567 --body {"user":"Ada"} --query campaign_id=7');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'out_1\n' });
  expect(stderr).toBe('Dialling +15551234567 (call out_1)\nFollow it: npx voicebot calls out_1\n');
  expect(runner.requests).toMatchObject([
    { url: '/start?campaign_id=7', headers: { authorization: `Bearer ${TOKEN}` } },
  ]);
  expect(JSON.parse(runner.requests[0]?.body ?? '')).toEqual({ phone_number: '+15551234567', body: { user: 'Ada' } });
});

test('shows what the configuration of the runner lacks before anything else', async () => {
  runner.starts = [json(202, { version: 1, call_id: 'out_1', warnings: ['OPERATOR_NUMBER is not set'] })];
  await runner.announce(directory);
  const { exitCode, stderr } = await dialout('+15551234567');
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^! OPERATOR_NUMBER is not set\nDialling /);
});

test('takes custom data from standard input', async () => {
  await runner.announce(directory);
  const args = ['dialout', '+15551234567', '--body', '@-'];
  const { exitCode } = await command(args, directory, { VOICEBOT_HOME: directory }, '{"user":"Ada"}').finished;
  expect(exitCode).toBe(0);
  expect(JSON.parse(runner.requests[0]?.body ?? '')).toEqual({ phone_number: '+15551234567', body: { user: 'Ada' } });
});

test('asks the runner on the port named', async () => {
  await runner.announce(directory);
  await using other = await FakeRunner.start();
  await other.announce(directory, TOKEN);
  expect((await dialout(`+15551234567 --port ${runner.port}`)).exitCode).toBe(0);
  expect(other.requests).toEqual([]);
  expect(runner.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('shows another server VOICEBOT_TOKEN, and never the token of a runner of this machine', async () => {
  await using other = await FakeRunner.start();
  await runner.announce(directory, TOKEN);
  expect((await dialout(`+15551234567 --server ${other.url}`)).exitCode).toBe(0);
  writeFileSync(join(directory, '.env'), 'VOICEBOT_TOKEN=the-token-of-another');
  expect((await dialout(`+15551234567 --server ${other.url}`)).exitCode).toBe(0);
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    'Bearer the-token-of-another',
  ]);
});

test('follows an answered call to its end: exit 0', async () => {
  await runner.announce(directory);
  const connected = { state: 'connected', answeredAt: 3_500, connectedAt: 3_600 } as const;
  runner.reads = [
    record({ state: 'dialling' }),
    record({ state: 'ringing' }),
    record(connected),
    record({ ...connected, state: 'ended', endedAt: 8_000, endReason: 'bot_ended' }),
  ];
  const { exitCode, stdout, stderr } = await dialout('+15551234567 --wait');
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(stderr.split('\n').map((line) => line.trim())).toEqual([
    'Dialling +15551234567 (call out_1)',
    'ringing',
    '2.50 s  answered',
    '2.60 s  connected to the bot',
    '7.00 s  ended after 7.0 s, 4.5 s of it answered: the bot hung up (bot_ended)',
    '',
  ]);
});

test('a call that the runner ended because it was stopped: exit 8, though somebody had answered', async () => {
  await runner.announce(directory);
  runner.reads = [record({ state: 'ended', answeredAt: 2_000, endedAt: 3_000, endReason: 'runner_stopped' })];
  const { exitCode, events } = await dialout('+15551234567 --wait --json');
  expect(exitCode).toBe(8);
  expect(events.slice(-2)).toMatchObject([
    { event: 'ended', endReason: 'runner_stopped', isAnswered: true, succeeded: false },
    { event: 'error', message: 'The call did not succeed: the runner was stopped' },
  ]);
});

test.each([
  ['busy', 'the line was busy'],
  ['no_answer', 'the callee did not answer'],
  ['rejected', 'the call was declined'],
  ['voicemail', 'a machine answered'],
] as const)('a call that ended with %s: exit 8, saying that %s', async (endReason, sentence) => {
  await runner.announce(directory);
  runner.reads = [record({ state: 'ended', endedAt: 2_000, endReason })];
  const { exitCode, stderr } = await dialout('+15551234567 --wait');
  expect(exitCode).toBe(8);
  expect(stderr).toMatch(new RegExp(`ended after 1.0 s: .+ \\(${endReason}\\)\n`));
  expect(stderr).toContain(`The call did not succeed: ${sentence}`);
  expect(stderr).toContain('VB_CALL_FAILED');
});

test('with --json everything is an event, the failure too', async () => {
  await runner.announce(directory);
  runner.starts = [json(202, { version: 1, call_id: 'out_1', carrier_call_id: 'c-1' })];
  runner.reads = [record({}), record({ state: 'ended', endedAt: 2_000, endReason: 'busy' })];
  const { exitCode, events } = await dialout('+15551234567 --wait --json');
  expect(exitCode).toBe(8);
  const common = { version: 1 };
  expect(events).toEqual([
    {
      ...common,
      event: 'dialling',
      to: '+15551234567',
      server: runner.url,
      callId: 'out_1',
      carrierCallId: 'c-1',
    },
    { ...common, event: 'call', callId: 'out_1', call: CALL },
    { ...common, event: 'call', callId: 'out_1', call: { ...CALL, state: 'ended', endedAt: 2_000, endReason: 'busy' } },
    {
      ...common,
      event: 'ended',
      callId: 'out_1',
      endReason: 'busy',
      isAnswered: false,
      durationMs: 1_000,
      talkedMs: 0,
      succeeded: false,
    },
    {
      ...common,
      event: 'error',
      code: 'VB_CALL_FAILED',
      message: 'The call did not succeed: the line was busy',
      docs: errorDocs('VB_CALL_FAILED'),
    },
  ]);
});

test('without --wait and with --json: one event', async () => {
  await runner.announce(directory);
  const { exitCode, events } = await dialout('+15551234567 --json');
  expect(exitCode).toBe(0);
  expect(events).toEqual([{ version: 1, event: 'dialling', to: '+15551234567', server: runner.url, callId: 'out_1' }]);
});

test.each([
  [400, 'VB_REQUEST_INVALID', 2],
  [413, 'VB_BODY_TOO_LARGE', 2],
  [409, 'VB_REQUEST_CONFLICT', 2],
  [409, 'VB_OUTSIDE_CALLING_HOURS', 8],
  [401, 'VB_UNAUTHORISED', 4],
  [502, 'VB_CREDENTIALS_REFUSED', 4],
  [502, 'VB_CARRIER_REQUEST_FAILED', 5],
  [503, 'VB_CARRIER_UNREACHABLE', 5],
  [503, 'VB_RUNNER_STOPPING', 5],
  [403, 'VB_TARGET_REFUSED', 8],
  [429, 'VB_DIAL_LIMIT', 8],
  [503, 'VB_CALL_UNCERTAIN', 8],
] as const)('a refusal with %i %s: exit %i, in the words of the runner', async (status, code, exit) => {
  await runner.announce(directory);
  runner.starts = [problem(status, { code, message: 'Why: exactly so', hint: 'Do that.' })];
  const { exitCode, stdout, stderr } = await dialout('+15551234567 --wait');
  expect({ exitCode, stdout }).toEqual({ exitCode: exit, stdout: '' });
  expect(stderr).toBe(`✖ Why: exactly so\n  Do that.\n  ${code}\n`);
  expect(runner.requests).toHaveLength(1);
});

test('what is wrong with the command line is told before anything is sent', async () => {
  await runner.announce(directory);
  const { exitCode, stderr } = await dialout('5551234567 --body [] --query x');
  expect(exitCode).toBe(2);
  for (const name of ['number 5551234567: ', '--body []: ', '--query x: ']) expect(stderr).toContain(name);
  expect(runner.requests).toEqual([]);
});

test('without a number: exit 2', async () => {
  const { exitCode, stderr } = await command(['dialout'], directory).finished;
  expect(exitCode).toBe(2);
  expect(stderr).toContain("missing required argument 'number'");
});

test('without a runner: exit 5, and the command that starts one', async () => {
  const { exitCode, stderr } = await dialout('+15551234567');
  expect(exitCode).toBe(5);
  expect(stderr).toContain('npx voicebot run --sandbox');
});

test('a token that cannot be one: exit 3, without showing it', async () => {
  const { exitCode, stderr } = await dialout(`+15551234567 --server ${runner.url}`, { VOICEBOT_TOKEN: 'short one' });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('VOICEBOT_TOKEN in the environment must be 16 to 256 letters');
  expect(stderr).not.toContain('short one');
  expect(runner.requests).toEqual([]);
});

describe('Ctrl+C', () => {
  test('stops waiting, not the call, and says how to look at it: exit 130', async () => {
    await runner.announce(directory);
    runner.reads = [record({ state: 'ringing' })];
    const waiting = start('+15551234567 --wait');
    await waiting.shown('ringing');
    process.emit('SIGINT', 'SIGINT');
    const { exitCode, stderr } = await waiting.finished;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('the call goes on. Look at it: npx voicebot calls out_1');
    expect(runner.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  test('while the runner has not answered: says that it may still dial', async () => {
    await runner.announce(directory);
    const asked = new Promise<void>((resolve) => {
      runner.starts = [() => resolve()];
    });
    const waiting = start('+15551234567 --json');
    await asked;
    process.emit('SIGTERM', 'SIGTERM');
    const { exitCode, events } = await waiting.finished;
    expect(exitCode).toBe(143);
    expect(events).toEqual([{ version: 1, event: 'stopping', signal: 'SIGTERM' }]);
  });
});
