import { dist } from './dist.js';

const { botWaits, readyBotsAt } =
  await dist<typeof import('../../src/lab/stage/bot-waits.js')>('lab/stage/bot-waits.js');

/** Resolves when a process that has loaded the bot waits for the next call. @throws when there is none after a minute: a cold start is not measured for a warm one */
export async function botIsReady(runnerUrl: string): Promise<void> {
  await botWaits(() => readyBotsAt(runnerUrl), { limitMs: 60_000, pollMs: 20 });
  if ((await readyBotsAt(runnerUrl)) === 0) throw new Error('no bot is ready');
}
