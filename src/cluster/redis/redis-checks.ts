import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { RedisLink } from './redis-link.js';

/** The oldest Redis that has all that is asked of it. */
const OLDEST = [6, 2] as const;
/** Furthest that the clock of this machine may be from that of Redis, in milliseconds. */
const MAX_CLOCK_SKEW_MS = 2_000;

/** A Redis that a cluster can rely on. */
export interface CheckedRedis {
  readonly version: string;
  /** How far its clock is ahead of that of this machine, in milliseconds. */
  readonly apartMs: number;
  /** Whether it keeps what it knows when it restarts. */
  readonly isWrittenDown: boolean;
}

/**
 * Whether a cluster can rely on this Redis. One that writes nothing down is warned of.
 * @param now milliseconds since the Unix epoch, of this machine
 * @throws VoicebotError VB_CLUSTER_UNSUITABLE with everything that is wrong, VB_CLUSTER_UNREACHABLE
 */
export async function checkRedis(
  redis: RedisLink,
  logger: Logger,
  now: () => number = Date.now,
): Promise<CheckedRedis> {
  const info = fieldsOf(await told(redis));
  const problems: string[] = [];
  const version = info.get('redis_version') ?? '';
  if (isOlder(version)) problems.push(`Redis ${version} is too old: 6.2 is the oldest`);
  if (info.get('role') === 'slave')
    problems.push('this Redis is a replica, which takes no changes: give the address of its primary');
  if (info.get('cluster_enabled') === '1')
    problems.push('this Redis is a node of a Redis Cluster: give the address of a single server');
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  const hasLimit = Number(info.get('maxmemory') ?? 0) > 0;
  if (policy !== 'noeviction' && hasLimit) {
    problems.push(`with maxmemory-policy ${policy} Redis throws keys away when its memory is full`);
  }
  const askedAt = now();
  const [seconds = 0, microseconds = 0] = (await redis.run((client) => client.time())).map(Number);
  const apartMs = Math.round(seconds * 1_000 + microseconds / 1_000 - (askedAt + now()) / 2);
  if (Math.abs(apartMs) > MAX_CLOCK_SKEW_MS) {
    problems.push(
      `the clock of this machine is ${Math.abs(apartMs) / 1_000} s ${apartMs > 0 ? 'behind' : 'ahead of'} Redis's`,
    );
  }
  if (problems.length > 0) {
    throw new VoicebotError('VB_CLUSTER_UNSUITABLE', problems.join('\n'), {
      hint: 'set maxmemory-policy noeviction in redis.conf, or synchronise the clocks (NTP), as it says; then start again',
    });
  }
  const isWrittenDown = info.get('aof_enabled') !== '0';
  if (!isWrittenDown) {
    logger.warn('the Redis of the cluster does not write down what it knows: campaigns would lose their rows with it', {
      redis: redis.address,
      hint: 'set appendonly yes in redis.conf',
    });
  }
  return { version, apartMs, isWrittenDown };
}

/** @throws VoicebotError VB_CLUSTER_UNSUITABLE when the user may not ask */
async function told(redis: RedisLink): Promise<string> {
  try {
    return await redis.run((client) => client.info());
  } catch (error) {
    if (error instanceof VoicebotError) throw error;
    throw new VoicebotError('VB_CLUSTER_UNSUITABLE', `Redis refuses: ${(error as Error).message}`, {
      hint: 'let the user of the cluster run INFO: ACL SETUSER … +info',
    });
  }
}

const fieldsOf = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
    }),
  );

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
