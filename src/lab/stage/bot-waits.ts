import { setTimeout as delay } from 'node:timers/promises';
import { machineNow } from '../../base/clock/process-clock.js';

export interface BotWait {
  /** Milliseconds of the machine's clock. */
  readonly limitMs: number;
  /** Between two questions, in milliseconds. */
  readonly pollMs: number;
}

/** Resolves when a bot of this runner waits for a call, or after the limit. */
export async function botWaits(runnerUrl: string, { limitMs, pollMs }: BotWait): Promise<void> {
  const giveUpAt = machineNow() + limitMs;
  while (machineNow() < giveUpAt) {
    if (await isReady(runnerUrl).catch(() => false)) return; // a runner with too much to do breaks connections off
    await delay(pollMs);
  }
}

async function isReady(runnerUrl: string): Promise<boolean> {
  const response = await fetch(`${runnerUrl}/ready`);
  await response.arrayBuffer();
  return response.ok;
}
