import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HandRooms, RoomBot } from './hand-rooms.js';
import { CONNECTED, callFields, sendWebhook } from './runner-on-rooms.js';

const LOADER = new URL('../../jest/loader.mjs', import.meta.url).href;
const RUNNER_TO_KILL = fileURLToPath(new URL('runner-to-kill.ts', import.meta.url));

/** A call of a runner that was then killed; its bot is still in the room. */
export async function leftCall(rooms: HandRooms, stateDirectory: string): Promise<RoomBot> {
  const args = ['--import', LOADER, RUNNER_TO_KILL, rooms.url, stateDirectory];
  const runner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(runner, 'exit');
  try {
    const [url] = (await once(runner.stdout, 'data')) as [Buffer];
    const callId = randomUUID();
    const { status } = await sendWebhook(String(url).trim(), callFields(callId));
    if (status !== 200) throw new Error(`status ${status}`);
    const bot = await rooms.bot(callId);
    await bot.tell(...CONNECTED);
    return bot;
  } finally {
    runner.kill('SIGKILL');
    await exit;
  }
}
