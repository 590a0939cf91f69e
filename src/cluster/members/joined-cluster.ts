import type { Cluster } from './cluster.js';
import type { ClusterMembers } from './cluster-members.js';
import type { SharedSecrets } from './shared-secrets.js';

/** A cluster whose Redis is reached; its members see this runner once it has joined. */
export interface JoinedCluster extends Cluster {
  readonly members: ClusterMembers;
  readonly secrets: SharedSecrets;
  /** Where the carrier reaches this runner and no other: `ws:` or `wss:`. */
  readonly advertise: string | undefined;
  /** The others need not wait until this runner's lease has run out. */
  leave(): Promise<void>;
}
