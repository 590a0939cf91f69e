import { EventEmitter } from 'node:events';
import prometheus from 'prom-client';
import type { ServiceState } from '../../../src/call/service-name.js';
import type { Member } from '../../../src/cluster/members/cluster-members.js';
import { ClusterCounts } from '../../../src/cluster/metrics/cluster-counts.js';
import type { BotPool } from '../../../src/runner/bots/bot-pool.js';
import type { BotPoolEvents } from '../../../src/runner/bots/bot-pool-options.js';
import type { BotProcess } from '../../../src/runner/bots/bot-process.js';
import type { BotProcessEvents } from '../../../src/runner/bots/bot-process-options.js';
import { CallRegistry } from '../../../src/runner/calls/life/call-registry.js';
import { MetricSet } from '../../../src/runner/metrics/metric-set.js';
import { RunnerCounts } from '../../../src/runner/metrics/runner-counts.js';

/** A process as far as it is counted. */
export class CountedProcess extends EventEmitter<BotProcessEvents> {
  constructor(
    readonly state: BotProcess['state'],
    readonly residentBytes = 0,
  ) {
    super();
  }
}

class CountedPool extends EventEmitter<BotPoolEvents> {
  readonly processes = [
    new CountedProcess('busy', 100),
    new CountedProcess('warm', 60),
    new CountedProcess('warm', 60),
  ] as const;
}

const MEMBER: Member = {
  id: 'a1',
  machine: 'machine-1',
  pid: 1,
  version: '1.0.0',
  peerUrl: 'http://127.0.0.1:1',
  startedAt: 0,
  calls: 2,
  warm: 1,
  lateMs: 0,
  isDraining: false,
};

/** The parts of a runner that are counted, and what comes of it. */
export class CountedRunner implements Disposable {
  readonly pool = new CountedPool();
  readonly counts: RunnerCounts;
  readonly services: ServiceState[] = [
    { does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3', isWell: false, since: 1, why: '503' },
    { does: 'text_to_speech', provider: 'Cartesia', isWell: true },
  ];
  readonly #set = new MetricSet(prometheus);

  /** @param stateDirectory default: one that cannot be read */
  constructor(stateDirectory = '/dev/null/nowhere') {
    const pool = this.pool as unknown as BotPool;
    const parts = {
      registry: new CallRegistry(),
      pool,
      isReachable: () => true,
      eventsWaiting: () => 0,
      stateDirectory,
      services: { all: this.services },
      countOthers: (set: MetricSet) =>
        void new ClusterCounts(set, { redis: { isUp: true }, members: { own: MEMBER, others: [] } }),
    };
    this.counts = new RunnerCounts(this.#set, parts, 'plivo');
  }

  /** In Prometheus' text format. */
  text(): Promise<string> {
    return this.#set.registry.metrics();
  }

  [Symbol.dispose](): void {
    this.counts.close();
  }
}
