import type { Account } from '../../assembly/account.js';
import { accountOf } from '../../assembly/account.js';
import { clusterNameOf } from '../../assembly/cluster-of-run.js';
import { TRANSPORTS } from '../../assembly/transports.js';
import { silentLogger } from '../../base/logger.js';
import { ListInRedis } from '../../cluster/dialing/list-in-redis.js';
import { RedisLink } from '../../cluster/redis/redis-link.js';
import { resolveConfig } from '../../config/config.js';
import type { DoNotCallFile } from '../../runner/dialing/do-not-call/list-file.js';
import type { CliContext } from '../../terminal/context.js';

/**
 * Tells the clusters of the accounts that the settings name what the list of this machine has, and takes over what they have.
 * @returns how many there are: 0 where none is set
 * @throws VoicebotError VB_CLUSTER_UNREACHABLE, VB_CONFIG_INVALID, and what is wrong with credentials
 */
export async function exchangeWithClusters(
  file: DoNotCallFile,
  { environment, directory }: Pick<CliContext, 'environment' | 'directory'>,
): Promise<number> {
  const config = await resolveConfig({ flags: {}, environment, directory });
  const { cluster: url } = config;
  if (url === undefined) return 0;
  const accounts = TRANSPORTS.map((kind) => accountOf(config, kind)).filter((one): one is Account => one !== undefined);
  for (const account of accounts) {
    const redis = await RedisLink.connect({ url, name: clusterNameOf(account), logger: silentLogger });
    try {
      await exchange(new ListInRedis(redis), file);
    } finally {
      redis.close();
    }
  }
  return accounts.length;
}

async function exchange(inRedis: ListInRedis, file: DoNotCallFile): Promise<void> {
  const { epoch } = await inRedis.merge(file.changes());
  let place = { epoch, count: 0 };
  for (;;) {
    const next = await inRedis.pull(place);
    if (next.changes.length === 0) return;
    await file.merge(next.changes);
    place = next.place;
  }
}
