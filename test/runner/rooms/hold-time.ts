import type { RoomBot } from './hand-rooms.js';

/** Short enough for the process of a bot that is alive not to seem hung, in milliseconds. */
const STEP_MS = 1_500;

/** Lets the runner's time pass while these bots show that they are alive. Its timers must be held. */
export async function passTime(limitMs: number, ...alive: readonly RoomBot[]): Promise<void> {
  for (let left = limitMs; left > 0; left -= STEP_MS) {
    jest.advanceTimersByTime(Math.min(left, STEP_MS));
    for (const bot of alive) await bot.checkTarget('');
  }
}
