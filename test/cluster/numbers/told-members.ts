import { EventEmitter } from 'node:events';
import type { Members, MembersEvents } from '../../../src/cluster/members/cluster.js';

/** Members as a test says. */
export class ToldMembers extends EventEmitter<MembersEvents> implements Members {
  /** @param alive identifiers of those that are there, which the test changes */
  constructor(
    readonly ownId: string,
    private readonly alive: Set<string>,
  ) {
    super();
    alive.add(ownId);
  }

  get others(): Array<{ id: string }> {
    return [...this.alive].filter((id) => id !== this.ownId).map((id) => ({ id }));
  }

  isAlive(runnerId: string): boolean {
    return runnerId === this.ownId || this.alive.has(runnerId);
  }
}
