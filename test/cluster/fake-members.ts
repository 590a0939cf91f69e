import { EventEmitter } from 'node:events';
import type { Members, MembersEvents } from '../../src/cluster/members/cluster.js';

/** Runners that are there until the test says otherwise. */
export class FakeMembers extends EventEmitter<MembersEvents> implements Members {
  /** @param alive shared by the runners of one cluster */
  constructor(
    readonly ownId: string,
    private readonly alive = new Set<string>(),
  ) {
    super();
    alive.add(ownId);
  }

  get others(): Array<{ id: string }> {
    return [...this.alive].filter((id) => id !== this.ownId).map((id) => ({ id }));
  }

  isAlive(runnerId: string): boolean {
    return this.alive.has(runnerId);
  }
}
