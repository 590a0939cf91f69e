import type { Exception } from '../../base/exception/exception.js';
import type { RoomsClient } from '../../bot/transports/room/join-room.js';
import type { CallId } from '../../call/call-id.js';
import type { ServiceState } from '../../call/service-name.js';
import type { Pages } from '../../providers/daily/client/pages.js';
import type { BotDeath } from './bot-death.js';
import type { TestSpeech } from './messages.js';

export interface BotProcessEvents {
  /** @param exception what the line tells of, where code of the user's has thrown */
  output: [line: string, callId: CallId | undefined, exception?: Exception];
  /** How late its event loop was, in milliseconds; twice a second. */
  heartbeat: [lateMs: number];
  /** A service that its bots have asked has failed, or works again. */
  service_health: [state: ServiceState];
  /** It is ended because it takes too much memory. */
  problem: [error: unknown];
  /** It could not load the bot file, and is ended. */
  load_failed: [];
  /** The process has ended without having been told to. Tells of the calls it had, of which there may be none. */
  died: [callIds: readonly string[], death: BotDeath];
  /** The process is gone. Emitted once, after the streams it still had were reported over. */
  exit: [];
}

export interface BotProcessOptions {
  /** The process's own environment. */
  environment: Record<string, string>;
  /** Values the bot finds in `process.env`, handed over the channel. */
  botEnvironment: Record<string, string>;
  /** Most memory the process may take, in bytes; 0 means any amount. */
  memoryBytes: number;
  /** Load what joining a room with this client takes before a call needs it. Default: nothing. */
  roomsClient?: RoomsClient | undefined;
  /** Stand-ins serve its calls in place of the services that need keys. Default false. */
  standIns?: boolean | undefined;
  /** How its bots speak in a test. Default: as bots do. */
  speech?: TestSpeech | undefined;
  /** Where pages of the process are opened. */
  pages?: Pages | undefined;
}
