import { EventEmitter } from 'node:events';
import type { Members, MembersEvents } from '../../../src/cluster/members/cluster.js';
import type { RedisLink } from '../../../src/cluster/redis/redis-link.js';

/** Members by keys that run out: enough for processes that are stopped, killed and go on. */
export class BeatingMembers extends EventEmitter<MembersEvents> implements Members {
  #alive = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  static async open(redis: RedisLink, ownId: string, leaseMs: number): Promise<BeatingMembers> {
    const members = new BeatingMembers(redis, ownId, leaseMs);
    await members.#beat();
    return members;
  }

  private constructor(
    private readonly redis: RedisLink,
    readonly ownId: string,
    private readonly leaseMs: number,
  ) {
    super();
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), leaseMs / 5);
  }

  get others(): Array<{ id: string }> {
    return [...this.#alive].filter((id) => id !== this.ownId).map((id) => ({ id }));
  }

  isAlive(runnerId: string): boolean {
    return runnerId === this.ownId || this.#alive.has(runnerId);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.redis.run((redis) => redis.del(this.redis.key('alive', this.ownId))).catch(() => {}); // it runs out by itself
  }

  async #beat(): Promise<void> {
    const prefix = this.redis.key('alive', '');
    await this.redis.run((redis) => redis.set(prefix + this.ownId, '1', 'PX', this.leaseMs));
    const keys = await this.redis.run((redis) => redis.keys(`${prefix.replace(/[{}]/g, '?')}*`));
    this.#alive = new Set(keys.map((key) => key.slice(prefix.length)));
  }
}
