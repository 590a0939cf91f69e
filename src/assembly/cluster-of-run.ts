import { VoicebotError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { fingerprintOf } from '../base/secret.js';
import type { JoinedCluster } from '../cluster/members/joined-cluster.js';
import type { Config } from '../config/config.js';
import type { Coordination } from '../runner/coordination.js';
import type { Output } from '../terminal/output.js';
import type { Account } from './account.js';
import type { Closer } from './close-all.js';

/** What tells the cluster of this account apart from others on the same Redis. It opens nothing. */
export function clusterNameOf(account: Account): string {
  const { kind, credentials } = account;
  const secret = account.kind === 'carrier' ? account.credentials.authId : account.credentials.apiKey;
  const provider = account.kind === 'carrier' ? account.carrier.name : kind;
  return `${provider}-${fingerprintOf(`${secret}\n${credentials.apiUrl}`)}`;
}

/**
 * Refuses, before anything is opened, what could never be a cluster.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export function checkCluster(
  { cluster, advertise, publicUrl }: Pick<Config, 'cluster' | 'advertise' | 'publicUrl'>,
  account: Account | undefined,
): void {
  const problems: string[] = [];
  if (cluster === undefined && advertise !== undefined) problems.push('--advertise is for a runner of a cluster');
  if (cluster !== undefined && !account) {
    problems.push('a cluster needs an account that its runners share, and the sandbox of a run is for that run alone');
  }
  if (cluster !== undefined && account && publicUrl === undefined) {
    problems.push('a cluster needs one public address for all its runners, and a tunnel leads to one of them');
  }
  if (problems.length === 0) return;
  throw new VoicebotError('VB_CONFIG_INVALID', problems.join('\n'), {
    hint: 'Give --cluster redis://… together with --public-url https://… and an account; to try it on one machine see docs/scale.md',
  });
}

/** The cluster of a run, and what its runners decide together. */
export interface ClusterOfRun {
  readonly cluster: JoinedCluster;
  readonly coordination: Coordination;
}

/**
 * Reaches the Redis of the runners that serve this account together.
 * @param opened gets the way back
 * @returns undefined for a run that is alone
 * @throws VoicebotError VB_CONFIG_INVALID, VB_CLUSTER_UNREACHABLE, VB_CLUSTER_UNSUITABLE
 */
export async function joinClusterOf(
  account: Account,
  { config, output }: { readonly config: Config; readonly output: Output },
  opened: Closer[],
  logger: Logger,
): Promise<ClusterOfRun | undefined> {
  const { cluster: url, advertise } = config;
  if (url === undefined) return undefined;
  const { joinCluster } = await import('../cluster/join-cluster.js');
  const { ClusterCoordination } = await import('../cluster/cluster-coordination.js');
  await (await import('../cluster/campaigns/attempt-jobs.js')).loadBullmq(); // what it misses is told before anything is done
  const name = clusterNameOf(account);
  const cluster = await output.step('Joining the cluster', () => joinCluster({ url, name, advertise, logger }));
  opened.push(() => cluster.leave());
  return { cluster, coordination: new ClusterCoordination(cluster) };
}
