import type { Logger } from '../base/logger.js';
import { packageVersion } from '../base/package-version.js';
import { ClusterMembers } from './members/cluster-members.js';
import type { JoinedCluster } from './members/joined-cluster.js';
import { SharedSecrets } from './members/shared-secrets.js';
import { checkRedis } from './redis/redis-checks.js';
import { RedisLink } from './redis/redis-link.js';

export interface JoinClusterOptions {
  /** `redis://` or `rediss://`. */
  readonly url: string;
  /** What tells the account apart whose calls the cluster serves: letters, digits, `-` and `_`. */
  readonly name: string;
  readonly advertise?: string | undefined;
  readonly logger: Logger;
}

/**
 * Reaches the Redis of a cluster and looks whether it can be relied on.
 * @throws VoicebotError VB_CLUSTER_UNREACHABLE, VB_CLUSTER_UNSUITABLE, VB_CONFIG_INVALID
 */
export async function joinCluster({ url, name, advertise, logger }: JoinClusterOptions): Promise<JoinedCluster> {
  const redis = await RedisLink.connect({ url, name, logger });
  try {
    await checkRedis(redis, logger);
    const members = new ClusterMembers({ redis, version: packageVersion() });
    const secrets = await SharedSecrets.open(redis);
    await members.watch();
    const leave = async () => {
      await members.leave();
      secrets.close();
      redis.close();
    };
    return { redis, members, secrets, advertise, leave };
  } catch (error) {
    redis.close();
    throw error;
  }
}
