import type { Logger } from '../base/logger.js';
import { BotPool } from './bots/bot-pool.js';
import type { CallTimelines } from './calls/life/call-timelines.js';
import type { RoomsBrowser } from './calls/rooms/rooms-driver.js';
import type { RunnerOptions } from './runner-options.js';

/** The bot processes of a runner, as it is set to. @param browser through which they join rooms */
export const botPoolOf = (options: RunnerOptions, browser: RoomsBrowser | undefined): BotPool =>
  new BotPool({
    environment: options.processEnvironment,
    botEnvironment: options.botEnvironment,
    standIns: options.standIns,
    callsPerProcess: options.callsPerProcess,
    warm: options.warm,
    memoryBytes: options.botMemoryBytes,
    ...(options.provider.kind === 'rooms' && { roomsClient: browser ? 'browser' : 'built-in' }),
    pages: browser,
    createProcess: options.createBotProcess,
  });

/** What bots write, and that they have died, is noted in their calls. */
export function noteBots(pool: BotPool, timelines: CallTimelines, logger: Logger): void {
  pool.on('output', (line, callId) => callId && timelines.note(callId, { type: 'output', line }));
  pool.on('died', (callIds, death) => {
    for (const callId of callIds) logger.warn('the bot process of a call has died', { callId, ...death });
  });
}
