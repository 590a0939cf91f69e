import { randomBytes } from 'node:crypto';
import { pause } from '../../base/async/pause.js';
import type { RedisLink, RedisScript } from './redis-link.js';

const LOOK_EVERY_MS = 50;

const RENEW: RedisScript = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

const RELEASE: RedisScript = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

export interface RedisLockOptions {
  /** Longest wait for the others, in milliseconds. */
  readonly limitMs: number;
  /** How long the lock outlives a holder that does not renew it, in milliseconds. It is renewed three times as often. */
  readonly expiresMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What is thrown when the others have it for too long, and the reason of the signal of a holder that has lost it. */
  readonly onHeld: () => Error;
}

/**
 * Does something that no other runner of the cluster, and no other part of this one, does at the same time under the same key.
 * A process that stands still for longer than `expiresMs` loses the lock without knowing: what must not happen then needs a
 * token that is checked as well.
 * @param act its signal is aborted when the lock was lost, or with that of the options
 * @throws VoicebotError VB_CLUSTER_UNREACHABLE, what `onHeld` returns, or the signal's reason
 */
export async function withRedisLock<T>(
  redis: RedisLink,
  key: string,
  { limitMs, expiresMs, signal, onHeld }: RedisLockOptions,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const id = randomBytes(8).toString('hex');
  const lateAt = performance.now() + limitMs;
  while (!(await redis.run((client) => client.set(key, id, 'PX', expiresMs, 'NX')))) {
    if (performance.now() > lateAt) throw onHeld();
    await pause(LOOK_EVERY_MS, signal);
  }
  const lost = new AbortController();
  let renewedAt = performance.now();
  const renew = async () => {
    const askedAt = performance.now();
    const isOurs = await redis.script(RENEW, [key], [id, expiresMs]).catch(() => undefined);
    if (isOurs === 1) renewedAt = askedAt;
    // Redis may be away for a moment: what it does not say is known by the clock.
    else if (isOurs === 0 || performance.now() - renewedAt > expiresMs) lost.abort(onHeld());
  };
  const timer = setInterval(() => void renew(), expiresMs / 3).unref();
  try {
    return await act(signal ? AbortSignal.any([signal, lost.signal]) : lost.signal);
  } finally {
    clearInterval(timer);
    await redis.script(RELEASE, [key], [id]).catch(() => {}); // it expires by itself
  }
}
