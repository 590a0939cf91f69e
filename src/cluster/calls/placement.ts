import type { Member } from '../members/cluster-members.js';

/** A runner whose event loop is later than this is left alone while others are not, in milliseconds. */
const LATE_MS = 100;
/** Calls that this runner may have more than another before that one gets the next. */
const SLACK = 2;
/** How long a call that was given to a runner counts in addition to what it says of itself, in milliseconds. */
const COUNTED_MS = 1_000;

/** Chooses the runner for a new call: one with a bot that waits, few calls, and an event loop that is in time. */
export class Placement {
  /** When calls were given to others lately, by `performance.now()`. */
  readonly #given = new Map<string, number[]>();

  /**
   * @param own this runner as it is now
   * @returns undefined for this runner itself
   */
  choose(own: Member, others: readonly Member[]): Member | undefined {
    const candidates = others.filter(({ isDraining }) => !isDraining);
    if (own.isDraining) return this.#best(candidates);
    const best = this.#best(candidates.filter(isReady));
    if (!best) return undefined;
    if (!isReady(own)) return this.#give(best);
    const slack = Math.max(SLACK, own.calls / 10);
    return this.#callsOf(best) + slack < own.calls ? this.#give(best) : undefined;
  }

  #best(candidates: readonly Member[]): Member | undefined {
    const rank = (member: Member) => (isReady(member) ? 0 : 1_000_000) + this.#callsOf(member);
    return candidates.toSorted((a, b) => rank(a) - rank(b))[0];
  }

  #give(member: Member): Member {
    this.#given.set(member.id, [...this.#recent(member.id), performance.now()]);
    return member;
  }

  #callsOf({ id, calls }: Member): number {
    return calls + this.#recent(id).length;
  }

  #recent(id: string): number[] {
    const now = performance.now();
    return (this.#given.get(id) ?? []).filter((at) => now - at < COUNTED_MS);
  }
}

const isReady = ({ warm, lateMs }: Member) => warm > 0 && lateMs < LATE_MS;
