import type { MetricSet } from '../../runner/metrics/metric-set.js';
import type { SharingEvent } from '../calls/call-sharing.js';
import type { Member } from '../members/cluster-members.js';

/** Ways in which a call comes to a runner that had not begun it, or leaves the one that had it. */
const MOVES = ['taken_over', 'handed_over', 'brought'] as const satisfies SharingEvent[];

export interface CountedCluster {
  readonly redis: { readonly isUp: boolean };
  readonly members: { readonly own: Member | undefined; readonly others: readonly Member[] };
}

/** What is counted of a runner as one of a cluster. Names of machines are the only label that is not a list of words. */
export class ClusterCounts {
  readonly #moved;
  readonly #passed;

  constructor(set: MetricSet, { redis, members }: CountedCluster) {
    const all = () => [...(members.own ? [members.own] : []), ...members.others];
    set.gauge('cluster_runners', 'Runners of the cluster, as this one sees them.', {}, () => [[{}, all().length]]);
    set.gauge(
      'cluster_calls',
      'Calls that are going on at the runners of the cluster, as this one sees them, by machine.',
      { machine: /^[\w.-]{1,63}$/ },
      () => [...callsByMachine(all())].map(([machine, calls]) => [{ machine }, calls]),
    );
    set.gauge('cluster_redis_up', 'Whether the Redis of the cluster can be asked.', {}, () => [
      [{}, Number(redis.isUp)],
    ]);
    this.#moved = set.counter('cluster_calls_moved_total', 'Calls that have moved from one runner to another.', {
      how: MOVES,
    });
    this.#passed = set.counter(
      'cluster_requests_passed_total',
      'Webhooks that came to this runner and that another one has answered.',
      {},
    );
  }

  shared(event: SharingEvent): void {
    if (event === 'passed_on') this.#passed({});
    else this.#moved({ how: event });
  }
}

function callsByMachine(members: readonly Member[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const member of members) calls.set(member.machine, (calls.get(member.machine) ?? 0) + member.calls);
  return calls;
}
