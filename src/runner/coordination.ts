import type { Router } from 'express';
import type { Logger } from '../base/logger.js';
import type { CallId } from '../call/call-id.js';
import type { PassSigner } from './calls/carrier/stream-pass.js';
import type { JournalOf } from './calls/debts/hangup-journal.js';
import type { CallRegistry } from './calls/life/call-registry.js';
import type { SharedRemovals, SharedRemovalsOptions } from './calls/life/shared-removals.js';
import type { CallOutcomes } from './campaigns/call-outcomes.js';
import type { CampaignQueue, QueueOptions } from './campaigns/campaign-queue.js';
import type { DialGate, LimitedRunner } from './dialing/dial-limits.js';
import type { DoNotCallList } from './dialing/do-not-call/do-not-call-list.js';
import type { ListingRunner } from './dialing/do-not-call/local-list.js';
import type { RequestsOnce } from './dialing/idempotent-requests.js';
import type { CallsElsewhere, ShownElsewhere } from './http/elsewhere.js';
import type { MetricSet } from './metrics/metric-set.js';

/**
 * What a runner would decide by itself, and what runners that act as one decide together. The runner takes it and does not choose: one
 * machine has {@link alone}, which keeps everything on its disk; `src/cluster` has the other.
 */
export interface Coordination {
  /** Where the carrier reaches this runner and no other: `ws:` or `wss:`. Default: where it reaches all. */
  readonly advertise?: string | undefined;
  /** Signs what every one of the runners has to recognise. Default: each runner recognises its own. */
  readonly signer?: PassSigner | undefined;
  /** Where it is written down what has to be ended at the provider, so that it is ended whatever becomes of this runner. */
  journals(stateDirectory: string, logger: Logger): JournalOf;
  /** @param secret of the account, which all its runners have */
  dialGate(runner: LimitedRunner, secret: string): DialGate;
  /** The numbers that asked not to be called again. */
  doNotCall(runner: ListingRunner, logger: Logger): DoNotCallList;
  /** The calls whose recordings are removed; missing where no other runner may have a part of one. */
  removals?(options: SharedRemovalsOptions): SharedRemovals;
  /**
   * What sees to it that a repeated request is done once. Outcomes travel as JSON.
   * @param secret as for `dialGate`
   */
  requests<T>(secret: string): RequestsOnce<T>;
  campaignQueue(options: QueueOptions): CampaignQueue;
  /** Counts what the runner has with others. */
  count?(set: MetricSet): void;
  /** The other runners; missing where there are none. */
  others?(own: CoordinatedRunner): OtherRunners;
}

/** A runner as the others see it. */
export interface CoordinatedRunner {
  readonly registry: CallRegistry;
  /** Where the carrier reaches all runners. */
  readonly publicUrl: string | undefined;
  /** Longest that any call may last, in milliseconds. */
  readonly maxCallMs: number;
  readonly load: () => RunnerLoad;
  readonly logger: Logger;
}

/** What new calls are spread by. */
export interface RunnerLoad {
  /** Live calls. */
  readonly calls: number;
  /** Bot processes that wait for a call. */
  readonly warm: number;
  /** It takes no new calls any more. */
  readonly isDraining: boolean;
}

/** The runners with which this one acts as one. */
export interface OtherRunners {
  /** Their calls, for what the provider asks. */
  readonly calls: CallsElsewhere;
  /** Their calls, for what operators ask. */
  readonly shown: ShownElsewhere;
  /** How calls end, whichever runner has them. */
  readonly outcomes: CallOutcomes;
  /** What they ask of this runner. */
  readonly routes: Router;
  /** Whether another runner goes on with a call, or has ended it. @throws VoicebotError VB_CLUSTER_UNREACHABLE */
  goOnWith(id: CallId): Promise<boolean>;
  /**
   * From now on the others give this runner calls.
   * @param host where it listens
   * @throws VoicebotError VB_CLUSTER_UNSUITABLE, VB_CLUSTER_UNREACHABLE
   */
  join(host: string, port: number): Promise<void>;
  /** False before the others know this runner: a call that it took would count as lost. */
  readonly isJoined: boolean;
  /** Gives the live calls to the others: this runner leaves. @returns how many */
  handOver(): Promise<number>;
  /** The others see that it has left. */
  leave(): Promise<void>;
}
