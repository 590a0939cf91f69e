import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { allGone } from './processes.js';
import { endReasons, expectEndedAtOnce, ServedCalls } from './served-calls.js';

let served: ServedCalls;
beforeAll(() => {
  served = new ServedCalls();
});
afterEach(() => served.end(), 30_000);
afterAll(() => served.remove());

describe('a bot file that cannot be used: exit 7 with file and line, and nothing is served', () => {
  test.each([
    ['is not there', 'missing.ts', undefined, 'there is no such file'],
    [
      'throws while it is imported',
      'throws.ts',
      "\nconst key: string = '';\nthrow new Error('no key');\n",
      ':3: no key',
    ],
    ['throws while it is imported', 'throws.js', "\nthrow new Error('no key');\n", ':2: no key'],
    ['has a syntax error', 'syntax.ts', 'const a = 1;\nexport async function bot(args {}\n', ':2: Expected'],
    ['exports no bot', 'nothing.ts', 'export const bat = async () => {};\n', ': it exports no `bot` function'],
  ])(
    'it %s: %s',
    async (_, name, content, reason) => {
      if (content !== undefined) writeFileSync(join(served.home, name), content);
      const voicebot = served.start(['run', name, '--sandbox', '--port', '0']);
      expect(await voicebot.exitWatched()).toBe(7);
      const told = voicebot.lines.all.join('\n');
      expect(told).toContain(`The bot file could not be loaded: ${join(served.home, name)}`);
      expect(told).toContain(reason);
      expect(told).toContain('VB_BOT_LOAD_FAILED');
      expect(voicebot.events.all.map(({ event }) => event)).toEqual(['error']);
      expect(voicebot.children()).not.toEqual([]); // the sandbox at least
      await allGone(voicebot.children());
    },
    60_000,
  );
});

test('a port that is taken: exit 6, naming the port', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const voicebot = served.start(['run', '--sandbox', '--port', `${port}`]);
  expect(await voicebot.exitWatched()).toBe(6);
  const told = voicebot.lines.all.join('\n');
  expect(told).toContain(`127.0.0.1:${port}`);
  expect(told).toContain('VB_PORT_IN_USE');
  expect(voicebot.events.all.map(({ event }) => event)).toEqual(['error']);
  other.close();
  await allGone(voicebot.children());
}, 60_000);

test('SIGINT while the bot is being loaded: exit 130, and nothing is left', async () => {
  writeFileSync(
    join(served.home, 'slow.mjs'),
    'setInterval(() => {}, 1000);\nconsole.error("loading");\nawait new Promise(() => {});\n',
  );
  const voicebot = served.start(['run', 'slow.mjs', '--sandbox', '--port', '0']);
  await voicebot.event('bot_output', { line: 'loading' });
  const pids = voicebot.children();
  voicebot.signal('SIGINT');
  expect(await voicebot.exit).toBe(130);
  await allGone(pids);
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

test('a runner that lets its last call end is still asked about it, and is named to who would dial', async () => {
  const voicebot = await served.serve();
  await served.call(voicebot);
  await voicebot.events.next(({ call }) => call?.state === 'connected');
  voicebot.signal('SIGTERM');
  await voicebot.event('stopping');
  const calls = served.start(['calls']);
  expect(await calls.exit).toBe(0);
  const dialout = served.start(['dialout', '+15551234567']);
  expect(await dialout.exit).toBe(5);
  expect(dialout.lines.all.join('\n')).toContain('VB_RUNNER_STOPPING');
}, 60_000);

test('a runner that is killed with no call leaves nothing behind', async () => {
  const voicebot = await served.serve();
  const pids = voicebot.children();
  voicebot.signal('SIGKILL');
  await voicebot.exit;
  await allGone(pids);
}, 60_000);

test('the caller who presses Ctrl+C hangs up: exit 130', async () => {
  const voicebot = await served.serve();
  const caller = await served.call(voicebot);
  await caller.event('bot_speaking');
  caller.signal('SIGINT');
  expect(await caller.exit).toBe(130);
  const { call: record } = await voicebot.events.next(({ call }) => call?.state === 'ended');
  expect(record.endReason).toBe('caller_hung_up');
}, 60_000);

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s with no call: exit %i at once, and nothing is left',
  (signal, code) => expectEndedAtOnce(served, signal, code),
  60_000,
);

test('SIGTERM lets a running call go on to its end, and then exit 143', async () => {
  const voicebot = await served.serve();
  const caller = await served.call(voicebot, ['--dtmf', 'w2 9']);
  await caller.event('bot_speaking');
  const pids = voicebot.children();
  voicebot.signal('SIGTERM');
  expect(await voicebot.event('stopping')).toMatchObject({ signal: 'SIGTERM', liveCalls: 1 });
  // Nobody finds a runner that takes no more calls.
  const late = served.start(['call', '--port', `${voicebot.port}`]);
  expect(await late.exit).toBe(5);
  expect(await caller.event('key_pressed', { digit: '9' })).toMatchObject({ atMs: 2_000 });
  expect(await caller.event('ended')).toMatchObject({ succeeded: true });
  expect(await caller.exit).toBe(0);
  expect(await voicebot.exit).toBe(143);
  expect(endReasons(voicebot)).toEqual(['bot_ended']);
  await allGone(pids);
}, 60_000);
