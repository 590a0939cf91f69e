import type { RoomsBrowser } from '../calls/rooms-driver.js';
import type { RunnerOptions } from '../runner-options.js';
import { BotPool } from './bot-pool.js';

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
