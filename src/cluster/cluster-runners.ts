import { networkInterfaces } from 'node:os';
import type { Router } from 'express';
import { everyInterval } from '../base/async/every-interval.js';
import type { CallId } from '../call/call-id.js';
import type { CallOutcomes } from '../runner/campaigns/call-outcomes.js';
import type { CoordinatedRunner, OtherRunners } from '../runner/coordination.js';
import { CallSharing, type SharingEvent } from './calls/call-sharing.js';
import { ClusterCalls } from './calls/cluster-calls.js';
import { peerRoutes } from './calls/peer-routes.js';
import { SharedOutcomes } from './campaigns/shared-outcomes.js';
import type { JoinedCluster } from './members/joined-cluster.js';

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

/**
 * Where the other runners of a cluster reach one that listens here and advertises no address of its own.
 * @param host `0.0.0.0` and `::` stand for the machine's first address in its network, or for this machine where it has none
 */
function peerUrlOf(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const address = isAny ? (ownAddress() ?? '127.0.0.1') : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const LOOK_MS = 200;
/** Looks that count. */
const LOOKS = 5;

/** How late the event loop of this process is. */
class LoopDelay {
  readonly #late: number[] = [];
  readonly #looking = everyInterval(LOOK_MS, (lateMs) => {
    this.#late.push(lateMs);
    if (this.#late.length > LOOKS) this.#late.shift();
  }).unref();

  /** The latest of the last second, in whole milliseconds. */
  get recentMs(): number {
    return Math.round(Math.max(0, ...this.#late));
  }

  close(): void {
    clearInterval(this.#looking);
  }
}
