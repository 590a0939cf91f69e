import type { Account } from '../../assembly/account.js';
import { checkCluster, clusterNameOf } from '../../assembly/cluster-of-run.js';
import { VoicebotError } from '../../base/errors.js';
import { silentLogger } from '../../base/logger.js';
import { packageVersion } from '../../base/package-version.js';
import { type Member, readMembers } from '../../cluster/members/cluster-members.js';
import { checkRedis } from '../../cluster/redis/redis-checks.js';
import { RedisLink } from '../../cluster/redis/redis-link.js';
import type { Config } from '../../config/config.js';
import type { Findings } from './findings.js';

/** Whether a runner of this account could be one of the cluster that the settings name, and which runners that has. It joins nothing. */
export async function examineCluster(findings: Findings, config: Config, account: Account | undefined): Promise<void> {
  const { cluster: url, advertise } = config;
  if (url === undefined && advertise === undefined) return;
  let redis: RedisLink | undefined;
  try {
    checkCluster(config, account);
    if (url === undefined || !account) return;
    redis = await RedisLink.connect({ url, name: clusterNameOf(account), logger: silentLogger });
    const { version, apartMs, isWrittenDown } = await checkRedis(redis, silentLogger);
    const clock = `its clock ${Math.abs(apartMs)} ms ${apartMs > 0 ? 'ahead' : 'behind'}`;
    if (isWrittenDown) findings.ok('cluster', `Redis ${version} at ${redis.address}, ${clock}`);
    else {
      const text = `Redis ${version} at ${redis.address} does not write down what it knows: campaigns would lose their rows with it`;
      findings.warn('cluster', text, 'Set appendonly yes in redis.conf');
    }
    tellRunners(findings, await readMembers(redis));
  } catch (error) {
    findings.fail('cluster', error);
  } finally {
    redis?.close();
  }
}

function tellRunners(findings: Findings, members: readonly Member[]): void {
  const own = packageVersion();
  const told = members.map(
    ({ machine, pid, version, calls }) => `${machine} (process ${pid}, ${version}, ${calls} calls)`,
  );
  const other = members.find(({ version }) => version !== own);
  if (other) {
    const why = `its runners are of voicebot ${other.version}, and this one is of ${own}: ${told.join(', ')}`;
    findings.fail('runners', new VoicebotError('VB_CLUSTER_UNSUITABLE', why), 'Install the same version everywhere');
  } else findings.ok('runners', told.length === 0 ? 'none is there yet' : `${told.length}: ${told.join(', ')}`);
}
