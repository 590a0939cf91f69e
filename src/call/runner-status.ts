import type { Exception } from '../base/exception/exception.js';
import type { ServiceModel, ServiceState } from './service-name.js';

/** What the runner is and does, for its page and for programs; plain JSON. */
export interface RunnerStatus {
  readonly version: 1;
  readonly state: 'ready' | 'no_bot' | 'unreachable' | 'stopping';
  /** `no_bot` for a while: the bot could not be loaded when it was tried last. */
  readonly botFails?: boolean;
  /** What the bot file as it was saved last cannot be loaded for: calls get the code from before. */
  readonly notReloaded?: Exception;
  /** Its name, without the folder. */
  readonly botFile: string;
  readonly transport: 'carrier' | 'rooms';
  /** Its calls come from the sandbox: no provider has a part in them. */
  readonly isSandbox: boolean;
  /** Whether stand-ins serve its calls in place of the services that need keys. */
  readonly standIns: boolean;
  /** The bot's own, E.164; null when it is not known. */
  readonly number: string | null;
  readonly publicUrl: string;
  /** Bot processes that could take a call now. */
  readonly readyBots: number;
  readonly liveCalls: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** There is a phone network on this machine, which the page has a phone for: the sandbox, or one beside an account. */
  readonly hasPhone: boolean;
  /** Services of vendors that have failed, each with what works in its place; missing while all work. */
  readonly services?: readonly FailedService[];
  /** Missing where the runner is alone. */
  readonly cluster?: ClusterStatus;
}

/** A service that has failed: it is not asked first until it works again. */
export interface FailedService extends ServiceState {
  readonly instead?: ServiceModel;
}

/** The cluster that a runner is one of. */
export interface ClusterStatus {
  /** Whether its Redis can be asked: while it cannot, the runners are those that were there before. */
  readonly isRedisUp: boolean;
  /** The one that is asked comes first. */
  readonly runners: readonly ClusterRunner[];
}

export interface ClusterRunner {
  readonly id: string;
  /** Name of its machine. */
  readonly machine: string;
  readonly pid: number;
  readonly liveCalls: number;
  readonly readyBots: number;
  /** How late its event loop was lately, in milliseconds. */
  readonly lateMs: number;
  /** It takes no new calls. */
  readonly isStopping: boolean;
  /** It is the one that is asked. */
  readonly isOwn: boolean;
}
