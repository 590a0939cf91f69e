import { RoomRefusal } from './contract.js';

/** Requests of each kind that an account may make within a time. @see rooms reference 1.2 */
const LIMITS = {
  /** Requests without a limit of their own. */
  most: { count: 100, windowMs: 5_000 },
  roomDeletion: { count: 50, windowMs: 30_000 },
  /** Starting a call out of a room, over REST or from within. */
  dialout: { count: 5, windowMs: 5_000 },
} as const;

export type LimitedKind = keyof typeof LIMITS;

/** Rate limits of one account, in sliding windows. Refused requests do not count. */
export class RateLimits {
  readonly #takenAt: Record<LimitedKind, number[]> = { most: [], roomDeletion: [], dialout: [] };

  /** @param now milliseconds, never running backwards */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @throws RoomRefusal 429 when there have been too many */
  take(kind: LimitedKind): void {
    const { count, windowMs } = LIMITS[kind];
    const takenAt = this.#takenAt[kind];
    const now = this.now();
    while (takenAt[0] !== undefined && takenAt[0] <= now - windowMs) takenAt.shift();
    if (takenAt.length >= count) {
      throw new RoomRefusal(429, 'rate-limit-error', `more than ${count} requests in ${windowMs / 1_000} seconds`);
    }
    takenAt.push(now);
  }
}
