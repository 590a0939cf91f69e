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

/** Resolves when bots of this runner wait for calls, or after the limit. */
export async function botWaits(runnerUrl: string, { limitMs, pollMs, bots = 1 }: BotWait): Promise<void> {
  const giveUpAt = machineNow() + limitMs;
  while (machineNow() < giveUpAt) {
    if (await isReady(runnerUrl, bots).catch(() => false)) return; // a runner with too much to do breaks connections off
    await delay(pollMs);
  }
}

async function isReady(runnerUrl: string, bots: number): Promise<boolean> {
  const response = await fetch(`${runnerUrl}/ready`);
  const { readyBots = 0 } = (await response.json().catch(() => ({}))) as { readyBots?: number };
  return response.ok && (bots === 1 || readyBots >= bots);
}
