import type { Exception } from '../base/exception/exception.js';
import type { Logger } from '../base/logger.js';
import type { CallId } from '../call/call-id.js';
import type { CallRecord } from '../call/call-record.js';
import type { ServiceState } from '../call/service-name.js';
import type { TimelineEvent } from '../call/timeline.js';
import type { BotPoolOptions, CreateBotProcess } from './bots/bot-pool-options.js';
import type { CarrierAccess } from './calls/carrier/carrier-adapter.js';
import type { RecordingOptions } from './calls/life/call-folders.js';
import type { LocalNetwork } from './calls/local-calls.js';
import type { RoomsAccess } from './calls/rooms/rooms-adapter.js';
import type { RoomsBrowser } from './calls/rooms/rooms-driver.js';
import type { Coordination } from './coordination.js';
import type { Prices } from './costs/prices.js';
import type { CallingRuleTable } from './dialing/calling-rules.js';
import type { SetDialLimits } from './dialing/dial-limits.js';
import type { RunnersEventsOptions } from './events/application-events.js';
import type { RunnerServer } from './http/listen.js';
import type { PhoneNetworkAccess } from './http/phone-routes.js';

export interface RunnerOptions extends RecordingOptions {
  /** Absolute path of the bot file. */
  botFile: string;
  /** What people are told that it is. Default: the name of its file. */
  botName?: string | undefined;
  /** Give new calls the latest code whenever the bot file or a local file it imports is saved. Default false. */
  watch?: boolean | undefined;
  /** Where it is asked in place of a server of its own at `host` and `port`. */
  server?: RunnerServer | undefined;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** So many ports after it may be taken in its place, where another program has it by then. Default 0. */
  otherPorts?: number | undefined;
  /** Where the provider reaches this runner, without a trailing slash. Default: the local address. */
  publicUrl?: string | undefined;
  /**
   * It is the name of a tunnel, which may break and come back under another name: calls on the line wait for that.
   * Without `publicUrl` no call is dialled before {@link Runner.reach} was told where it leads from. Default false.
   */
  isTunnelled?: boolean | undefined;
  /** Reverse proxies in front of this runner: IP addresses, or networks as `10.0.0.0/8`. Default: none. */
  trustedProxies?: readonly string[] | undefined;
  /** Where calls come from. */
  provider: CarrierAccess | RoomsAccess;
  /** That is the sandbox. Default false. */
  isSandbox?: boolean | undefined;
  /** Accept unsigned webhooks and streams, for experiments on one machine. */
  insecureWebhooks: boolean;
  /** What programs show to dial and to look at calls. */
  token: string;
  /** Programs on this machine need no token. Default true. */
  isOpenLocally?: boolean | undefined;
  /** The bot's own number, E.164: the one that dialled calls come from. */
  phoneNumber?: string | undefined;
  /** Where calls may be dialled and transferred to, ISO 3166 alpha-2. Default: the country of our own number. */
  dialCountries?: readonly string[] | undefined;
  /** Why no bot of this runner needs to say that a machine calls. Default: those that call numbers of the European Union have to. */
  disclosureNotNeeded?: string | undefined;
  /** Where bots transfer callers to, E.164: may be called in any country. Undefined on a real account: they reach no person. */
  operatorNumber?: string | undefined;
  /** When people may be called, by country. Default: at any time. */
  callingRules?: CallingRuleTable | undefined;
  /** The user's own telephones, E.164, which may be called at any time. Default: none. */
  ownNumbers?: readonly string[] | undefined;
  /** What is counted by the day is shared by the runners with this `stateDirectory`. Default: any number. */
  dialLimits: SetDialLimits;
  /** What calls cost, as far as the user has said so. Default: nothing is priced. */
  prices?: Prices | undefined;
  /** Longest a dialled call may last from its answer on, in seconds. */
  dialMaxSeconds: number;
  /** How long a dialled phone may ring, in seconds. */
  ringSeconds: number;
  /** Longest any call may last, in seconds. */
  maxCallSeconds: number;
  /** Longest both sides of a call may be silent, in seconds; 0 means for ever. */
  silenceSeconds: number;
  /** Absolute path of the folder for what must survive this process. */
  stateDirectory: string;
  /**
   * What is said and pressed in calls that are not recorded is told as `noted` all the same: for a process that acts upon it, as a test
   * does. No folder keeps it. Default false: it does not leave the bot's process.
   */
  followsTalk?: boolean | undefined;
  /** What callees ask for is done and not kept: for tests, of which none is to change the next. Default false. */
  forgetsDoNotCall?: boolean | undefined;
  /** Where the user's application is told of calls. Default: nowhere. */
  events?: RunnersEventsOptions['events'];
  /** Stand-ins serve the calls in place of the services that need keys. Default false. */
  standIns?: boolean | undefined;
  callsPerProcess: number;
  /** Bot processes kept ready. */
  warm: number;
  /** Most memory of one bot process, in bytes; 0 means any amount. A bot that takes more is replaced. */
  botMemoryBytes: number;
  /** How long live calls may go on when the runner stops, in milliseconds. */
  drainMs: number;
  /** Environment of the bot processes: only what any program needs. */
  processEnvironment: Record<string, string>;
  /** Values bots find in `process.env`; they travel over a private channel. */
  botEnvironment: Record<string, string>;
  /** The phone network on this machine that its calls come from, for the page's phone. Undefined on an account. */
  phoneNetwork?: PhoneNetworkAccess | undefined;
  /** On an account: one beside it, for the page's phone only. Default: the page has no phone. */
  localNetwork?: LocalNetwork | undefined;
  /** What this runner decides together with others. Default: {@link alone} */
  coordination?: Coordination | undefined;
  /** Starts a bot process. Default: one of the system's. */
  createBotProcess?: CreateBotProcess | undefined;
  logger: Logger;
}

export interface RunnerEvents {
  call: [record: CallRecord];
  /** Something has happened in a call. */
  noted: [callId: CallId, event: TimelineEvent];
  /** `callId` is the call whose bot wrote it; undefined for a bot without a call, and one of several that share a process. `exception`: what the line tells of, where code of the user's has thrown. */
  bot_output: [line: string, callId: CallId | undefined, exception?: Exception];
  problem: [message: string, error?: unknown];
  /** New calls get the code as it is now. `file` is the file that was saved, `ms` the time since then. */
  reloaded: [file: string, ms: number];
  /** The code as it is now cannot be used: new calls still get the last that could. Names file and line. */
  reload_failed: [error: Error];
  /** A service of a vendor has failed in calls, or works again. */
  service: [service: ServiceState];
}

/** What the bot processes of a runner are started with. @param browser through which bots join rooms; default: they join by themselves */
export const botPoolOptionsOf = (options: RunnerOptions, browser: RoomsBrowser | undefined): BotPoolOptions => ({
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
