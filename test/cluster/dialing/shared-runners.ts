import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { silentLogger } from '../../../src/base/logger.js';
import type { Cluster } from '../../../src/cluster/members/cluster.js';
import { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { FakeMembers } from '../fake-members.js';
import type { RedisServer } from '../redis-server.js';

/** Runners of one cluster, each with a link of its own. */
export class SharedRunners implements Disposable {
  readonly alive = new Set<string>();
  readonly links: RedisLink[] = [];
  readonly #name = randomUUID();

  constructor(readonly server: RedisServer) {}

  /** A further runner. */
  async join(): Promise<Cluster> {
    const redis = await RedisLink.connect({ url: this.server.url, name: this.#name, logger: silentLogger });
    this.links.push(redis);
    return { redis, members: new FakeMembers(`runner-${this.links.length}`, this.alive) };
  }

  /** Redis ends and is there again; resolves when all links are. @param keeps what it knew */
  async restart({ keeps }: { keeps: boolean }): Promise<void> {
    await this.away({ keeps });
    await this.back();
  }

  /** Redis ends; resolves when all links know. */
  async away({ keeps = true } = {}): Promise<void> {
    const down = this.links.map((link) => once(link, 'down'));
    await this.server.stop({ keeps });
    await Promise.all(down);
  }

  /** Redis is there again; resolves when all links know. */
  async back(): Promise<void> {
    const up = this.links.map((link) => once(link, 'up'));
    await this.server.start();
    await Promise.all(up);
  }

  /** Everything in Redis, as text. */
  async dump(): Promise<string> {
    const link = this.links[0] as RedisLink;
    return link.run(async (redis) => {
      const keys = await redis.keys(`*${this.#name}*`);
      const values = keys.map(async (key) => {
        const type = await redis.type(key);
        if (type === 'zset') return redis.zrange(key, '0', '-1');
        return type === 'hash' ? redis.hgetall(key) : redis.get(key);
      });
      return JSON.stringify([keys, await Promise.all(values)]);
    });
  }

  [Symbol.dispose](): void {
    for (const link of this.links) link.close();
  }
}
