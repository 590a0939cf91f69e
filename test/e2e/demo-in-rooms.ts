import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoomsClient } from '../../src/bot/transports/room/join-room.js';
import { browsersOf, foldersOf } from '../providers/daily/client/page-host.js';
import { allGone } from './processes.js';
import { readRecording } from './recording.js';
import { Voicebot } from './voicebot.js';

interface Scene {
  readonly client: RoomsClient;
  /** State directory. */
  readonly home: string;
  readonly cwd: string;
}

/**
 * With no key and no bot of one's own the demo bot takes a call in a room and makes one; Ctrl+C ends everything.
 * @param client how the bot joins its rooms
 */
export async function demoInRooms(client: RoomsClient): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-rooms-'));
  /** Where nothing is: no settings, no key, no bot. */
  const cwd = mkdtempSync(join(tmpdir(), 'voicebot-clean-'));
  const open: Voicebot[] = [];
  const start = (args: string[]): Voicebot => {
    const voicebot = new Voicebot(args, { home, cwd, environment: { ROOMS_CLIENT: client } });
    open.push(voicebot);
    return voicebot;
  };
  try {
    await callAndDial(start, { client, home, cwd });
  } finally {
    for (const voicebot of open) await voicebot[Symbol.asyncDispose]();
    for (const folder of [home, cwd]) rmSync(folder, { recursive: true });
  }
}

async function callAndDial(start: (args: string[]) => Voicebot, { client, home, cwd }: Scene): Promise<void> {
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
  expect(browsersOf(runner.pid)).toHaveLength(client === 'browser' ? 1 : 0);
  runner.signal('SIGINT');
  expect(await runner.exitWatched()).toBe(130);
  await call.exit;
  await allGone(runner.children());
  expect(filesIn(rooms)).toEqual([]);
  expect(foldersOf(runner.pid)).toEqual([]);

  const { bot } = readRecording(record);
  expect(bot.firstAudibleMs()).toBeLessThan(200); // hold music from the first moment
  expect(bot.audibleMs(speakingAtMs)).toBeGreaterThan(600);
  const hops = call.events.all.filter(({ event }) => event === 'progress').map(({ hop }) => hop);
  expect(hops).toEqual(expect.arrayContaining(['hold', 'webhook', 'forward']));
}

const filesIn = (directory: string) =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
