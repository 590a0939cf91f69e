import { setTimeout as delay } from 'node:timers/promises';
import { machineNow } from '../../base/clock/process-clock.js';

export interface BotWait {
  /** Milliseconds of the machine's clock. */
  readonly limitMs: number;
  /** Between two questions, in milliseconds. */
  readonly pollMs: number;
  /** So many bot processes must have room for a call. Default 1. */
  readonly bots?: number;
}

/**
 * Resolves when bots of a runner wait for calls, or after the limit.
 * @param readyBots how many the runner has now
 */
export async function botWaits(
  readyBots: () => number | Promise<number>,
  { limitMs, pollMs, bots = 1 }: BotWait,
): Promise<void> {
  const giveUpAt = machineNow() + limitMs;
  while (machineNow() < giveUpAt) {
    if ((await readyBots()) >= bots) return;
    await delay(pollMs);
  }
}

/** Asks a runner of another process. A runner with too much to do breaks connections off: it has none. One that tells no number has one. */
export async function readyBotsAt(runnerUrl: string): Promise<number> {
  try {
    const response = await fetch(`${runnerUrl}/ready`);
    const { readyBots = 1 } = (await response.json().catch(() => ({}))) as { readyBots?: number };
    return response.ok ? readyBots : 0;
  } catch {
    return 0;
  }
}
