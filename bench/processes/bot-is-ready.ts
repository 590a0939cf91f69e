import { dist } from './dist.js';

const { botWaits } = await dist<typeof import('../../src/lab/stage/bot-waits.js')>('lab/stage/bot-waits.js');

/** Resolves when a process that has loaded the bot waits for the next call. */
export const botIsReady = (runnerUrl: string): Promise<void> => botWaits(runnerUrl, { limitMs: 60_000, pollMs: 20 });
