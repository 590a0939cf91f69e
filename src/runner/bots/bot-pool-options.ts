import type { Exception } from '../../base/exception/exception.js';
import type { CallId } from '../../call/call-id.js';
import type { BotDeath } from './bot-death.js';
import type { BotProcess } from './bot-process.js';
import type { BotProcessOptions } from './bot-process-options.js';
import type { BotSource } from './bot-source.js';

export interface BotPoolOptions extends BotProcessOptions {
  /** Calls one process serves at once, 1 or more. With 1 every call has a process of its own. */
  callsPerProcess: number;
  /** Processes kept ready beyond those that serve calls, 1 or more. */
  warm: number;
  /** Starts a process. Default: one of the system's. */
  createProcess?: CreateBotProcess | undefined;
}

export type CreateBotProcess = (source: BotSource, options: BotProcessOptions) => BotProcess;

export interface BotPoolEvents {
  /** A process begins to load the bot file. */
  created: [process: BotProcess];
  /** A bot function has settled: its process is free for another call, or ends. */
  call_done: [];
  /** A line that a bot or something it started has written; the call is known where the process serves one. */
  output: [line: string, callId: CallId | undefined, exception?: Exception];
  /** A process has ended by itself under its calls. */
  died: [callIds: readonly string[], death: BotDeath];
  /**
   * No further process could be loaded, or one that waited for calls has ended by itself, which is tried again after a
   * pause; or one was ended that took too much memory.
   */
  problem: [error: unknown];
}
