import { once } from 'node:events';
import type { Cluster } from '../../../src/cluster/cluster.js';
import { RedisLink } from '../../../src/cluster/redis-link.js';
import { REWRITE_MS } from '../../../src/cluster/rewritten-state.js';
import { silentLogger } from '../../../src/logger.js';
import { FakeMembers } from '../../cluster/fake-members.js';
import { RedisServer } from '../../cluster/redis-server.js';
import { until } from '../../e2e/processes.js';

/** Runners of one cluster, each with a link of its own to a Redis of their own. */
export class SharedRunners implements AsyncDisposable {
  readonly alive = new Set<string>();
  readonly links: RedisLink[] = [];

  static async start(): Promise<SharedRunners> {
    return new SharedRunners(await RedisServer.start());
  }

  private constructor(readonly server: RedisServer) {}

  /** A further runner. */
  async join(): Promise<Cluster> {
    const redis = await RedisLink.connect({ url: this.server.url, name: 'test', logger: silentLogger });
    this.links.push(redis);
    return { redis, members: new FakeMembers(`runner-${this.links.length}`, this.alive) };
  }

  /** Redis ends and is there again; resolves when all links are. @param keeps what it knew */
  async restart({ keeps }: { keeps: boolean }): Promise<void> {
    await this.away({ keeps });
    const up = this.links.map((link) => once(link, 'up'));
    await this.server.start();
    await Promise.all(up);
  }

  /** Redis ends; resolves when all links know. */
  async away({ keeps = true } = {}): Promise<void> {
    const down = this.links.map((link) => once(link, 'down'));
    await this.server.stop({ keeps });
    await Promise.all(down);
  }

  /** As long as nobody goes by what a Redis says that was just started. */
  async settled(): Promise<void> {
    const from = performance.now();
    await until(() => performance.now() - from > REWRITE_MS + 100, 'the runners have had time to write');
  }

  /** Everything in Redis, as text. */
  async dump(): Promise<string> {
    const link = this.links[0] as RedisLink;
    return link.run(async (redis) => {
      const keys = await redis.keys('*');
      const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
      return [...keys, ...values.map((value) => value?.toString('latin1'))].join('\n');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.links) link.close();
    await this.server[Symbol.asyncDispose]();
  }
}
