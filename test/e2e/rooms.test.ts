import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, isGroupAlive, until } from './processes.js';
import { readRecording } from './recording.js';
import { type CliEvent, Voicebot } from './voicebot.js';

const TIME_AT_MS = 5_000;
const SECONDS = 9;

let home: string;
/** Where nothing is: no settings, no key, no bot. */
let cwd: string;
let runner: Voicebot;
let ready: CliEvent;
const open: Voicebot[] = [];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-rooms-'));
  cwd = mkdtempSync(join(tmpdir(), 'voicebot-clean-'));
  runner = start(['run', '--transport', 'rooms', '--dialin', '--port', '0', '--warm', '2']);
  ready = await runner.event('ready', {}, 20_000);
}, 30_000);

afterAll(async () => {
  for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
  rmSync(cwd, { recursive: true });
});

function start(args: string[]): Voicebot {
  const voicebot = new Voicebot(args, { home, cwd });
  open.push(voicebot);
  return voicebot;
}

const endOf = ({ events }: Voicebot) => events.all.find(({ event }) => event === 'ended');

test('with no key and no bot of one’s own, the demo bot takes a call in a room and makes one', async () => {
  const record = join(cwd, 'call.wav');
  const keys = ['--dtmf', `w${TIME_AT_MS / 1_000} 1`];
  const port = ['--port', `${ready.port}`];
  const call = start(['call', ...port, ...keys, '--seconds', `${SECONDS}`, '--record', record]);
  const dialout = start(['dialout', '+12025550107', ...port, '--wait']);
  expect(await call.exit).toBe(0);
  expect(endOf(call)).toMatchObject({ succeeded: true, isAnswered: true, endReason: 'caller_hung_up' });
  expect(await dialout.exit).toBe(0);
  expect(endOf(dialout)).toMatchObject({ succeeded: true, endReason: 'caller_hung_up' });

  const { bot } = readRecording(record);
  const speakingAtMs = (await call.event('bot_speaking')).atMs;
  expect(speakingAtMs).toBeLessThan(TIME_AT_MS);
  expect(bot.firstAudibleMs()).toBeLessThan(200); // hold music from the first moment
  expect(bot.audibleMs(speakingAtMs, TIME_AT_MS)).toBeGreaterThan(600);
  expect(bot.audibleMs(TIME_AT_MS + 300, SECONDS * 1_000)).toBeGreaterThan(600);
  const hops = call.events.all.filter(({ event }) => event === 'progress').map(({ hop }) => hop);
  expect(hops).toEqual(expect.arrayContaining(['hold', 'webhook', 'forward']));
}, 30_000);

test('Ctrl+C in the middle of a call ends everything: no process and no room is left', async () => {
  const call = start(['call', '--port', `${ready.port}`]);
  await call.event('bot_speaking');
  const rooms = join(home, 'rooms');
  expect(files(rooms)).not.toEqual([]);
  const children = runner.children();
  expect(children.length).toBeGreaterThanOrEqual(2); // the sandbox and a bot
  runner.signal('SIGINT');
  expect(await runner.exitWatched()).toBe(130);
  await call.exit;
  await until(() => !runner.children().some((pid) => isAlive(pid) || isGroupAlive(pid)), 'all end');
  expect(files(rooms)).toEqual([]);
}, 30_000);

const files = (directory: string) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
