import type { NumberRouting, RouteChange, RouteUrls } from '../../call/number-routing.js';
import type { LeaseAccount, LeaseEntry } from './lease-entry.js';
import type { IsLive } from './lease-liveness.js';

type Later<T> = T | Promise<T>;

/** Waiting for others that change the same number: `limitMs` at most, in milliseconds. */
export interface LockWait {
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Where it is written down which numbers point at addresses of ours, and how they were before: files of this user, or the Redis
 * of a cluster. What changes an entry is done only under the lock of its number.
 */
export interface LeaseStore {
  read(account: LeaseAccount, number: string): Later<LeaseEntry | undefined>;
  /** Those of every account, in the order of their numbers' digits. */
  entries(): Later<readonly LeaseEntry[]>;
  /** Whether no run holds the number any more that would give it back. */
  isOrphan(entry: LeaseEntry, isLive: IsLive, signal?: AbortSignal): Promise<boolean>;
  /**
   * The number is ours from now on, and of no former holder.
   * @param found what {@link read} has shown, which is replaced
   * @returns what is written down; undefined when another run was faster
   */
  take(entry: LeaseEntry, found: LeaseEntry | undefined): Later<LeaseEntry | undefined>;
  /** After a taking that failed: it belongs again to whom it was taken from. */
  handBack(entry: LeaseEntry, found: LeaseEntry): Later<void>;
  /** The entry as it is now; undefined when the number was taken from us. What was lost is written down again. */
  owned(entry: LeaseEntry): Later<LeaseEntry | undefined>;
  /** Writes down a change of what is ours. @returns what is written down */
  replace(entry: LeaseEntry): Later<LeaseEntry>;
  /** Lets go of the number where others hold it too. @returns false when no other does: it is for us to give back */
  leaveToOthers(entry: LeaseEntry): Later<boolean>;
  /**
   * Before the provider is told to put the number back: no other run may change it any more.
   * @throws VoicebotError VB_NUMBER_HELD when that is another run's by now
   */
  beforeUndo(entry: LeaseEntry): Later<LeaseEntry>;
  /**
   * The number is as it was: what the entry says is forgotten, or holds again where it was set for a while only.
   * @returns false when the number is another run's by now
   */
  settle(entry: LeaseEntry): Later<boolean>;
  /** Remembers that the provider is given these addresses. */
  note(urls: RouteUrls): Later<void>;
  /** Addresses that runners have ever been reached by. */
  knownAddresses(): Later<{ has(url: string): boolean }>;
  /**
   * Changes one number while no other change of it is going on, or, where an account's numbers are changed one at a time, no other
   * change of any of them.
   * @param act its signal is that of `wait`, and aborted too when the lock was lost
   * @throws LockHeldError, or the signal's reason
   */
  locked<T>(
    account: LeaseAccount,
    number: string,
    routing: Pick<NumberRouting, 'changesOneAtATime'>,
    wait: LockWait,
    act: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T>;
  /** Undefined where numbers belong to one run at a time. */
  readonly sharing?: LeaseSharing | undefined;
}

/** What runs can do that hold a number together. */
export interface LeaseSharing {
  /** Holds the number too. @throws VoicebotError VB_NUMBER_HELD when another run has it by now */
  join(found: LeaseEntry): Promise<LeaseEntry>;
  /**
   * Nothing is written down, and the number points at our address already: its holder may be about to write that down again.
   * Waits for a while.
   */
  reappearing(account: LeaseAccount, number: string, signal?: AbortSignal): Promise<LeaseEntry | undefined>;
  /** Whether this run is the one that looks now, of all that hold the number. @param everyMs how often one of them does */
  isTurn(entry: LeaseEntry, everyMs: number): Promise<boolean>;
  /**
   * Whether a run that has lost the number was about to put it back, and may have done so later than it was allowed to.
   * True once.
   */
  takeLateUndo(entry: LeaseEntry): Promise<boolean>;
  /**
   * Changes of runs that have lost the number without giving it back: what they have made at the provider, they may have made
   * after it was cleared away.
   */
  lostChanges(entry: LeaseEntry): Promise<readonly RouteChange[]>;
  /** All of {@link lostChanges} are undone. */
  forgetLostChanges(entry: LeaseEntry): Promise<void>;
}
