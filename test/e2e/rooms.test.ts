import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allGone } from './processes.js';
import { readRecording } from './recording.js';
import { Voicebot } from './voicebot.js';

let home: string;
/** Where nothing is: no settings, no key, no bot. */
let cwd: string;
const open: Voicebot[] = [];

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-rooms-'));
  cwd = mkdtempSync(join(tmpdir(), 'voicebot-clean-'));
});

afterAll(async () => {
  for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
  rmSync(cwd, { recursive: true });
}, 30_000);

function start(args: string[]): Voicebot {
  const voicebot = new Voicebot(args, { home, cwd });
  open.push(voicebot);
  return voicebot;
}

test('with no key and no bot of one’s own the demo bot takes a call in a room and makes one; Ctrl+C ends everything', async () => {
  const runner = start(['run', '--transport', 'rooms', '--dialin', '--port', '0', '--warm', '2']);
  const { port } = await runner.event('ready', {}, 20_000);
  const record = join(cwd, 'call.wav');
  const call = start(['call', '--port', `${port}`, '--record', record]);
  const dialout = start(['dialout', '+12025550107', '--port', `${port}`, '--wait']);
  expect(await dialout.exit).toBe(0);
  expect(dialout.events.all).toContainEqual(
    expect.objectContaining({ event: 'ended', succeeded: true, endReason: 'caller_hung_up' }),
  );
  const { atMs: speakingAtMs } = await call.event('bot_speaking');

  const rooms = join(home, 'rooms');
  expect(filesIn(rooms)).not.toEqual([]);
  expect(runner.children().length).toBeGreaterThanOrEqual(2); // the sandbox and a bot
  runner.signal('SIGINT');
  expect(await runner.exitWatched()).toBe(130);
  await call.exit;
  await allGone(runner.children());
  expect(filesIn(rooms)).toEqual([]);

  const { bot } = readRecording(record);
  expect(bot.firstAudibleMs()).toBeLessThan(200); // hold music from the first moment
  expect(bot.audibleMs(speakingAtMs)).toBeGreaterThan(600);
  const hops = call.events.all.filter(({ event }) => event === 'progress').map(({ hop }) => hop);
  expect(hops).toEqual(expect.arrayContaining(['hold', 'webhook', 'forward']));
}, 60_000);

const filesIn = (directory: string) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
