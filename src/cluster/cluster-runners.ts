import type { Router } from 'express';
import type { CallId } from '../call/call-id.js';
import type { CallOutcomes } from '../runner/campaigns/call-outcomes.js';
import type { CoordinatedRunner, OtherRunners } from '../runner/coordination.js';
import { CallSharing, type SharingEvent } from './calls/call-sharing.js';
import { ClusterCalls } from './calls/cluster-calls.js';
import { peerRoutes } from './calls/peer-routes.js';
import { peerUrlOf } from './calls/peer-url.js';
import { SharedOutcomes } from './campaigns/shared-outcomes.js';
import type { JoinedCluster } from './members/joined-cluster.js';
import { LoopDelay } from './members/loop-delay.js';

export interface ClusterRunnersOptions extends CoordinatedRunner {
  readonly cluster: JoinedCluster;
  readonly counted: (event: SharingEvent) => void;
}

/** A runner as one of a cluster: when the others see it, what they ask it, and how it leaves. */
export class ClusterRunners implements OtherRunners {
  readonly calls: CallSharing;
  readonly shown: ClusterCalls;
  readonly #lateness = new LoopDelay();

  constructor(private readonly options: ClusterRunnersOptions) {
    this.calls = new CallSharing(options);
    this.shown = new ClusterCalls({ ...options, sharing: this.calls });
  }

  get outcomes(): CallOutcomes {
    const { registry, cluster } = this.options;
    return new SharedOutcomes({ registry, directory: this.calls.directory, members: cluster.members });
  }

  get routes(): Router {
    return peerRoutes(this.calls);
  }

  async goOnWith(id: CallId): Promise<boolean> {
    const { members } = this.options.cluster;
    const { directory } = this.calls;
    if ((await directory.endOf(id)) !== undefined) return true;
    const owner = await directory.ownerOf(id);
    return owner !== undefined && owner !== members.ownId && members.isAlive(owner);
  }

  get isJoined(): boolean {
    return this.options.cluster.members.isJoined;
  }

  async join(host: string, port: number): Promise<void> {
    const { cluster, load } = this.options;
    const publicUrl = this.options.publicUrl && new URL(this.options.publicUrl).href.replace(/\/+$/, '');
    const { advertise } = cluster;
    const peerUrl = advertise?.replace(/^ws/, 'http') ?? peerUrlOf(host, port);
    await cluster.members.join({ peerUrl, advertise, publicUrl }, () => ({
      ...load(),
      lateMs: this.#lateness.recentMs,
    }));
  }

  handOver(): Promise<number> {
    return this.calls.handOver();
  }

  async leave(): Promise<void> {
    this.#lateness.close();
    await this.options.cluster.members.leave();
    await this.calls.close();
  }
}
