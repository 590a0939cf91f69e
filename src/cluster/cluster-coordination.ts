import type { Logger } from '../base/logger.js';
import { HangupJournal, type JournalOf } from '../runner/calls/debts/hangup-journal.js';
import type { SharedRemovals, SharedRemovalsOptions } from '../runner/calls/life/shared-removals.js';
import type { CampaignQueue, QueueOptions } from '../runner/campaigns/campaign-queue.js';
import type { CoordinatedRunner, Coordination, OtherRunners } from '../runner/coordination.js';
import type { DialGate, LimitedRunner } from '../runner/dialing/dial-limits.js';
import type { DoNotCallList } from '../runner/dialing/do-not-call/do-not-call-list.js';
import { doNotCallPath } from '../runner/dialing/do-not-call/list-file.js';
import type { ListingRunner } from '../runner/dialing/do-not-call/local-list.js';
import type { RequestsOnce } from '../runner/dialing/idempotent-requests.js';
import { moneyLimitOf } from '../runner/dialing/money-limit.js';
import type { MetricSet } from '../runner/metrics/metric-set.js';
import { ClusterJournal } from './calls/cluster-journal.js';
import { RemovalsInRedis } from './calls/removals-in-redis.js';
import { RedisQueue } from './campaigns/redis-queue.js';
import { ClusterRunners } from './cluster-runners.js';
import { SharedDialLimits } from './dialing/shared-dial-limits.js';
import { SharedDoNotCall } from './dialing/shared-do-not-call.js';
import { SharedRequests } from './dialing/shared-requests.js';
import type { JoinedCluster } from './members/joined-cluster.js';
import type { SharedSecrets } from './members/shared-secrets.js';
import { ClusterCounts } from './metrics/cluster-counts.js';

/** How long a call may still be about to end when it has lasted for as long as it may, in seconds. */
const SLOT_SLACK_S = 5 * 60;

/** What the runners of a cluster decide together, in its Redis. */
export class ClusterCoordination implements Coordination {
  #counts: ClusterCounts | undefined;

  constructor(private readonly cluster: JoinedCluster) {}

  get advertise(): string | undefined {
    return this.cluster.advertise;
  }

  get signer(): SharedSecrets {
    return this.cluster.secrets;
  }

  journals(stateDirectory: string, logger: Logger): JournalOf {
    const { cluster } = this;
    return (account, kind) => {
      const file = new HangupJournal(stateDirectory, account, kind);
      return new ClusterJournal({ cluster, file, account, kind, logger });
    };
  }

  dialGate(runner: LimitedRunner, secret: string): DialGate {
    const { dialLimits: limits, dialMaxSeconds, ringSeconds } = runner;
    const money = moneyLimitOf(runner);
    const minutesPerCall = Math.ceil(dialMaxSeconds / 60);
    const slotMs = (ringSeconds + dialMaxSeconds + SLOT_SLACK_S) * 1_000;
    return new SharedDialLimits({ cluster: this.cluster, limits, money, minutesPerCall, slotMs, secret });
  }

  doNotCall({ stateDirectory, isSandbox = false }: ListingRunner, logger: Logger): DoNotCallList {
    return new SharedDoNotCall({ cluster: this.cluster, path: doNotCallPath(stateDirectory, isSandbox), logger });
  }

  removals(options: SharedRemovalsOptions): SharedRemovals {
    return new RemovalsInRedis({ ...options, cluster: this.cluster });
  }

  requests<T>(secret: string): RequestsOnce<T> {
    return new SharedRequests<T>({ cluster: this.cluster, secret });
  }

  campaignQueue(options: QueueOptions): CampaignQueue {
    return new RedisQueue({ ...options, cluster: this.cluster });
  }

  count(set: MetricSet): void {
    this.#counts = new ClusterCounts(set, this.cluster);
  }

  others(own: CoordinatedRunner): OtherRunners {
    return new ClusterRunners({ ...own, cluster: this.cluster, counted: (event) => this.#counts?.shared(event) });
  }
}
