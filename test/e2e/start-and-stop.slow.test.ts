import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../cli/in-process.js';
import { allGone } from './processes.js';
import { endReasons, expectEndedAtOnce, ServedCalls } from './served-calls.js';

let served: ServedCalls;
beforeAll(() => {
  served = new ServedCalls();
});
afterEach(() => served.end(), 30_000);
afterAll(() => served.remove());

test('a bot file that cannot be used: exit 7 with file and line, and nothing is served or left', async () => {
  writeFileSync(join(served.home, 'throws.ts'), "\nconst key: string = '';\nthrow new Error('no key');\n");
  const voicebot = served.start(['run', 'throws.ts', '--sandbox', '--port', '0']);
  expect(await voicebot.exitWatched()).toBe(7);
  const told = voicebot.lines.all.join('\n');
  expect(told).toContain(`The bot file could not be loaded: ${join(served.home, 'throws.ts')}:3: no key`);
  expect(told).toContain('VB_BOT_LOAD_FAILED');
  expect(voicebot.events.all.map(({ event }) => event)).toEqual(['error']);
  expect(voicebot.children()).not.toEqual([]); // the sandbox at least
  await allGone(voicebot.children());
}, 60_000);

test('SIGINT while the bot is being loaded: exit 130, and nothing is left', async () => {
  writeFileSync(
    join(served.home, 'slow.mjs'),
    'setInterval(() => {}, 1000);\nconsole.error("loading");\nawait new Promise(() => {});\n',
  );
  const voicebot = served.start(['run', 'slow.mjs', '--sandbox', '--port', '0']);
  await voicebot.event('bot_output', { line: 'loading' }, 40_000);
  const pids = voicebot.children();
  voicebot.signal('SIGINT');
  expect(await voicebot.exit).toBe(130);
  await allGone(pids);
}, 60_000);

test('two runs that are started at once, and are told no port, serve at two', async () => {
  const runs = [1, 2].map(() => served.start(['run', '--sandbox']));
  const urls = await Promise.all(runs.map(async (run) => (await run.event('ready', {}, 50_000)).url));
  expect(new Set(urls).size).toBe(2);
}, 60_000);

test('SIGINT asks the bot of a running call to end it: exit 130', async () => {
  const voicebot = await served.serve();
  const caller = await served.call(voicebot);
  await caller.event('bot_speaking');
  const pids = voicebot.children();
  voicebot.signal('SIGINT');
  const end = await caller.event('ended');
  expect(end).toMatchObject({ isAnswered: true, succeeded: true });
  expect(await voicebot.exit).toBe(130);
  expect(endReasons(voicebot)).toEqual(['runner_stopped']);
  await allGone(pids);
}, 60_000);

test('a second signal ends at once, whatever the bots do', async () => {
  const voicebot = await served.serve('test/e2e/bots/stubborn.mjs', ['--drain-seconds', '600']);
  const caller = await served.call(voicebot);
  await voicebot.events.next(({ call }) => call?.state === 'connected');
  const pids = voicebot.children();
  voicebot.signal('SIGTERM');
  await voicebot.event('stopping');
  voicebot.signal('SIGTERM');
  expect(await voicebot.exit).toBe(143);
  await allGone(pids);
  await caller.event('ended');
}, 60_000);

test('the caller who presses Ctrl+C hangs up: exit 130; a runner that is killed with no call leaves nothing behind', async () => {
  const voicebot = await served.serve();
  const caller = await served.call(voicebot);
  await caller.event('bot_speaking');
  caller.signal('SIGINT');
  expect(await caller.exit).toBe(130);
  const { call: record } = await voicebot.events.next(({ call }) => call?.state === 'ended');
  expect(record.endReason).toBe('caller_hung_up');
  const pids = voicebot.children();
  voicebot.signal('SIGKILL');
  await voicebot.exit;
  await allGone(pids);
}, 60_000);

test(
  'SIGHUP with no call: exit 129 at once, and nothing is left',
  () => expectEndedAtOnce(served, 'SIGHUP', 129),
  60_000,
);

/** A command inside this process that looks for the runner. */
async function commanded(...args: string[]) {
  const { exitCode, stderr } = await command(args, served.home, { VOICEBOT_HOME: served.home }).finished;
  return { exitCode, stderr };
}

test('SIGTERM lets a running call go on to its end, and then exit 143; the runner is asked about it and takes no other call', async () => {
  const voicebot = await served.serve();
  const caller = await served.call(voicebot, ['--dtmf', 'w8 9']);
  await caller.event('bot_speaking');
  const pids = voicebot.children();
  voicebot.signal('SIGTERM');
  expect(await voicebot.event('stopping')).toMatchObject({ signal: 'SIGTERM', liveCalls: 1 });
  const [calls, dialout, late] = await Promise.all([
    commanded('calls'),
    commanded('dialout', '+15551234567'),
    // A runner that takes no more calls is not found for one.
    commanded('call', '--port', `${voicebot.port}`),
  ]);
  expect(calls.exitCode).toBe(0);
  expect(dialout).toEqual({ exitCode: 5, stderr: expect.stringContaining('VB_RUNNER_STOPPING') });
  expect(late.exitCode).toBe(5);
  expect(await caller.event('key_pressed', { digit: '9' })).toMatchObject({ atMs: 8_000 });
  expect(await caller.event('ended')).toMatchObject({ succeeded: true });
  expect(await caller.exit).toBe(0);
  expect(await voicebot.exit).toBe(143);
  expect(endReasons(voicebot)).toEqual(['bot_ended']);
  await allGone(pids);
}, 60_000);
