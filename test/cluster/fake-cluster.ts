import { EventEmitter } from 'node:events';
import { silentLogger } from '../../src/base/logger.js';
import type { Cluster, Members, MembersEvents } from '../../src/cluster/members/cluster.js';
import { RedisLink } from '../../src/cluster/redis/redis-link.js';

/** The runners of a cluster, who are there for as long as the test says. */
export class FakeCluster implements AsyncDisposable {
  readonly #alive = new Set<string>();
  readonly #members: FakeMembers[] = [];
  readonly #links: RedisLink[] = [];

  constructor(private readonly server: { readonly url: string }) {}

  /** A runner of its own connection. */
  async join(runnerId: string): Promise<Cluster> {
    const redis = await RedisLink.connect({ url: this.server.url, name: 'test', logger: silentLogger });
    const members = new FakeMembers(runnerId, this.#alive);
    this.#alive.add(runnerId);
    this.#links.push(redis);
    this.#members.push(members);
    return { redis, members };
  }

  /** All others learn that it is gone, as when its lease has run out. */
  leave(runnerId: string): void {
    this.#alive.delete(runnerId);
    for (const members of this.#members) if (members.ownId !== runnerId) members.emit('left', runnerId);
  }

  /** It was away for a while only. */
  comeBack(runnerId: string): void {
    this.#alive.add(runnerId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.#links) link.close();
  }
}

class FakeMembers extends EventEmitter<MembersEvents> implements Members {
  constructor(
    readonly ownId: string,
    private readonly alive: ReadonlySet<string>,
  ) {
    super();
  }

  get others(): Array<{ id: string }> {
    return [...this.alive].filter((id) => id !== this.ownId).map((id) => ({ id }));
  }

  isAlive(runnerId: string): boolean {
    return runnerId === this.ownId || this.alive.has(runnerId);
  }
}
