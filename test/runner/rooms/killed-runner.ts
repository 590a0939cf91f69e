import { randomUUID } from 'node:crypto';
import { ProgramToKill } from '../../program-to-kill.js';
import type { HandRooms, RoomBot } from './hand-rooms.js';
import { CONNECTED, callFields, sendWebhook } from './runner-on-rooms.js';

/** Longest time until the runner has started, in milliseconds. */
const START_LIMIT_MS = 60_000;

/** A call of a runner that was then killed; its bot is still in the room. */
export async function leftCall(rooms: HandRooms, stateDirectory: string): Promise<RoomBot> {
  await using runner = new ProgramToKill(new URL('runner-to-kill.ts', import.meta.url), [rooms.url, stateDirectory]);
  const url = await runner.lines.next(undefined, START_LIMIT_MS);
  const callId = randomUUID();
  const { status } = await sendWebhook(url, callFields(callId));
  if (status !== 200) throw new Error(`status ${status}`);
  const bot = await rooms.bot(callId);
  await bot.tell(...CONNECTED);
  return bot;
}
