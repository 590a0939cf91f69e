import type { Router } from 'express';
import type { CallOutcomes } from '../runner/campaigns/call-outcomes.js';
import { CallSharing, type CallSharingOptions } from './calls/call-sharing.js';
import { ClusterCalls } from './calls/cluster-calls.js';
import { peerRoutes } from './calls/peer-routes.js';
import { peerUrlOf } from './calls/peer-url.js';
import { SharedOutcomes } from './campaigns/shared-outcomes.js';
import type { JoinedCluster } from './members/cluster.js';
import type { MemberLoad } from './members/cluster-members.js';
import { LoopDelay } from './members/loop-delay.js';

export interface ClusterSideOptions extends Omit<CallSharingOptions, 'cluster'> {
  readonly cluster: JoinedCluster;
  /** Where the carrier reaches all runners of the cluster. */
  readonly publicUrl?: string | undefined;
  /** What the others are told of this runner, beside how late its event loop is. */
  readonly load: () => Omit<MemberLoad, 'lateMs'>;
}

interface ClusterSideSettings {
  readonly cluster?: JoinedCluster | undefined;
  readonly publicUrl?: string | undefined;
  readonly maxCallSeconds: number;
}

/** A runner as one of a cluster: when the others see it, what they ask it, and how it leaves. */
export class ClusterSide {
  readonly sharing: CallSharing;
  /** What operators see of it. */
  readonly calls: ClusterCalls;
  readonly #lateness = new LoopDelay();

  /** @returns undefined for a runner that is alone */
  static of(
    { cluster, publicUrl, maxCallSeconds }: ClusterSideSettings,
    parts: Omit<ClusterSideOptions, 'cluster' | 'publicUrl' | 'maxCallMs'>,
  ): ClusterSide | undefined {
    return cluster && new ClusterSide({ ...parts, cluster, publicUrl, maxCallMs: maxCallSeconds * 1_000 });
  }

  private constructor(private readonly options: ClusterSideOptions) {
    this.sharing = new CallSharing(options);
    this.calls = new ClusterCalls({ ...options, sharing: this.sharing });
  }

  /** How calls end, whichever runner has them. */
  get outcomes(): CallOutcomes {
    const { registry, cluster } = this.options;
    return new SharedOutcomes({ registry, directory: this.sharing.directory, members: cluster.members });
  }

  /** What the other runners ask. */
  get routes(): Router {
    return peerRoutes(this.sharing);
  }

  /**
   * From now on the others give this runner calls.
   * @param host where it listens
   * @throws VoicebotError VB_CLUSTER_UNSUITABLE, VB_CLUSTER_UNREACHABLE
   */
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

  /** The others see that it is gone. */
  async leave(): Promise<void> {
    this.#lateness.close();
    await this.options.cluster.members.leave();
    await this.sharing.close();
  }
}
