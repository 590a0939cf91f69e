import { randomBytes } from 'node:crypto';
import { settlesWithin } from '../../base/async/deadline.js';
import { deferred } from '../../base/async/deferred.js';
import { pause } from '../../base/async/pause.js';
import { VoicebotError } from '../../base/errors.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import type { SharedRemovals, SharedRemovalsOptions } from '../../runner/calls/life/shared-removals.js';
import type { Cluster } from '../members/cluster.js';
import type { RedisScript } from '../redis/redis-link.js';

// What Redis has: `order`, the calls by when it learnt of them, counted from 1; `until`, the calls by when they are forgotten; and `count`, how many
// it has learnt of, with `epoch`, which differs once Redis has lost all of this.

/** Pause between two looks for what other runners have told, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** Longest wait for the first look of a runner that starts, in milliseconds. */
const FIRST_LIMIT_MS = 2_000;
/** Calls that are told, or asked for, in one script. */
const AT_ONCE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** A call is remembered so long at the least, in days: a machine may be off, and keep its folders for longer than this one. */
const LEAST_DAYS = 400;
/** The same where folders are kept until they are removed by hand. */
const MOST_DAYS = 3_650;

/** Keys: order, until, count. Arguments: an epoch for a Redis that has none, how long in milliseconds, the calls. Answers the epoch. */
const TELL: RedisScript = `
redis.call('HSETNX', KEYS[3], 'epoch', ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 3, #ARGV do
  if not redis.call('ZSCORE', KEYS[1], ARGV[index]) then
    redis.call('ZADD', KEYS[1], redis.call('HINCRBY', KEYS[3], 'n', 1), ARGV[index])
  end
  redis.call('ZADD', KEYS[2], 'GT', now + tonumber(ARGV[2]), ARGV[index])
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ${AT_ONCE})) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
return redis.call('HGET', KEYS[3], 'epoch')
`;

/** Keys: order, count. Arguments: up to where they are known, how many to answer. Answers the epoch, then calls, each with its place. */
const PULL: RedisScript = `
local answer = { redis.call('HGET', KEYS[2], 'epoch') or '' }
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
for _, field in ipairs(found) do answer[#answer + 1] = field end
return answer
`;

export interface RemovalsInRedisOptions extends SharedRemovalsOptions {
  readonly cluster: Cluster;
}

/**
 * The calls of a cluster whose recordings are removed, in its Redis: each runner removes what it has of them. A Redis that was away or has lost
 * them is told again by every runner that knows of them: it has told them, or was told, or has their folders with what says so.
 */
export class RemovalsInRedis implements SharedRemovals {
  /** Those that this runner knows of. */
  readonly #known = new Set<CallId>();
  /** Those among them that Redis does not know, as far as this runner knows. */
  readonly #untold = new Set<CallId>();
  readonly #closing = new AbortController();
  readonly #first = deferred<void>();
  readonly #looking: Promise<void>;
  readonly heard: Promise<void>;
  /** Up to where this runner knows what Redis knows. */
  #place = { epoch: '', n: 0 };
  #hasFailed = false;

  constructor(private readonly options: RemovalsInRedisOptions) {
    this.heard = settlesWithin(this.#first.promise, FIRST_LIMIT_MS).then(() => {});
    options.cluster.redis.on('up', this.#tellAgain);
    this.#looking = this.#look();
  }

  tell(ids: readonly CallId[]): void {
    const unknown = ids.filter((id) => !this.#known.has(id));
    for (const id of unknown) {
      this.#known.add(id);
      this.#untold.add(id);
    }
    if (unknown.length > 0) void this.#tellUntold().catch(() => {}); // the next look tries again
  }

  async close(): Promise<void> {
    this.options.cluster.redis.off('up', this.#tellAgain);
    this.#closing.abort();
    await this.#looking;
    await this.#tellUntold().catch(() => {}); // the marks in the folders stay: the next runner on this machine tells it
  }

  /** Redis may have lost the last of what it was told, or all of it. */
  readonly #tellAgain = (): void => {
    for (const id of this.#known) this.#untold.add(id);
    this.#place = { epoch: '', n: 0 };
  };

  async #look(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#tellUntold();
        await this.#pull();
        this.#hasFailed = false;
      } catch (error) {
        const isAway = error instanceof VoicebotError && error.code === 'VB_CLUSTER_UNREACHABLE';
        if (!isAway && !this.#hasFailed)
          this.options.logger.error('removed recordings are not shared with the other runners', { error });
        this.#hasFailed ||= !isAway;
      }
      this.#first.resolve();
      await pause(LOOK_EVERY_MS, signal).catch(() => {});
    }
  }

  async #tellUntold(): Promise<void> {
    const { cluster, keptDays } = this.options;
    const days = keptDays === 0 ? MOST_DAYS : Math.max(LEAST_DAYS, keptDays + 1);
    while (this.#untold.size > 0) {
      const some = [...this.#untold].slice(0, AT_ONCE);
      const epoch = randomBytes(8).toString('hex');
      await cluster.redis.script(TELL, this.#keys, [epoch, days * DAY_MS, ...some]);
      for (const id of some) this.#untold.delete(id);
    }
  }

  async #pull(): Promise<void> {
    const [order, , count] = this.#keys as [string, string, string];
    for (;;) {
      const answer = await this.options.cluster.redis.script(PULL, [order, count], [this.#place.n, AT_ONCE]);
      const [epoch = '', ...fields] = answer as string[];
      if (epoch !== this.#place.epoch) {
        this.#tellAgain();
        this.#place = { epoch, n: 0 };
        await this.#tellUntold();
        if (epoch === '') return;
        continue;
      }
      if (fields.length === 0) return;
      const ids = fields.filter((_, index) => index % 2 === 0).map(asCallId);
      const unknown = ids.filter((id) => !this.#known.has(id));
      for (const id of unknown) this.#known.add(id);
      this.#place = { epoch, n: Number(fields.at(-1)) };
      if (unknown.length > 0) this.options.removed(unknown);
    }
  }

  get #keys(): string[] {
    return ['order', 'until', 'count'].map((name) => this.options.cluster.redis.key('removed', name));
  }
}
