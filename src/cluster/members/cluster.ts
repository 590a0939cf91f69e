import type { EventEmitter } from 'node:events';
import type { RedisLink } from '../redis/redis-link.js';

export interface MembersEvents {
  /** A runner is there. */
  joined: [runnerId: string];
  /** A runner has left, or has not been heard of for as long as its lease lasts. */
  left: [runnerId: string];
  /** The others may have taken this runner for gone for a while: its process stood still. */
  lapsed: [];
}

/** Which runners the cluster has. */
export interface Members extends EventEmitter<MembersEvents> {
  /** This runner's identifier: another one each time that a runner starts. */
  readonly ownId: string;
  /** The other runners that are there. */
  readonly others: ReadonlyArray<{ readonly id: string }>;
  /** Whether this runner is there: it is this one, or its lease has not run out. While Redis is away no runner counts as gone. */
  isAlive(runnerId: string): boolean;
}

/** What a runner has of its cluster. */
export interface Cluster {
  readonly redis: RedisLink;
  readonly members: Members;
}
