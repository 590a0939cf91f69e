import { timeLimit } from '../../base/async/time-limit.js';
import { VoicebotError } from '../../base/errors.js';
import { isSameProcess, thisProcess } from '../../base/process/process-identity.js';
import type { NumberRoute, NumberRouting, RouteChange, RouteUrls, UndoOutcome } from '../../call/number-routing.js';
import { isSameAccount, type LeaseEntry } from './lease-entry.js';
import { heldBy, lockError, notGivenBack, otherSecret, takenAway } from './lease-errors.js';
import type { LeaseJournal } from './lease-journal.js';
import { currentUrls, isLiveAddress } from './lease-liveness.js';
import {
  conflictingLease,
  isShareable,
  type LeaseRequest,
  newEntry,
  pointsAt,
  transferOwnership,
  withUrls,
} from './lease-plan.js';
import type { LeaseStore } from './lease-store.js';
import { changedBySomebody, keepInPlace, type NumberPlace, register, routeNow } from './point-number.js';
import { undoEntry } from './restore-leases.js';

/** How long another process may be changing the number before we give up, in milliseconds. */
const LOCK_LIMIT_MS = 30_000;
/** How long giving a number back may take, in milliseconds: after Ctrl-C a person waits for it. */
const GIVE_BACK_MS = 5_000;

/** What came of giving a number back; `left_to_others`: further runners of the cluster hold it, the last of them gives it back. */
export type GiveBackOutcome = UndoOutcome | 'left_to_others';

/**
 * One number that points at us for a while. How it was is on the disk before anything is changed, so that the next run, or
 * `voicebot restore`, puts it back when we cannot.
 */
export class NumberLease {
  #entry: LeaseEntry;
  #outcome: GiveBackOutcome | undefined;

  private constructor(
    entry: LeaseEntry,
    private readonly routing: NumberRouting,
    private readonly journal: LeaseStore,
  ) {
    this.#entry = entry;
  }

  /**
   * Gives back what a run that is gone has left of this number, then points it at `urls`, and reads back that it does.
   * When that fails everything is as it was, or the error says how to make it so. In a cluster, a number that points there
   * already is held together with those who did that.
   * @throws VoicebotError VB_NUMBER_HELD by a run that lives, on this machine or, where its address answers, another;
   *   VB_REGISTRATION_FAILED, VB_NUMBER_UNKNOWN, VB_RESTORE_FAILED, VB_CLUSTER_UNREACHABLE, VB_CLUSTER_UNSUITABLE, and what a request throws
   */
  static async take(request: LeaseRequest): Promise<NumberLease> {
    const { routing, account, number, journal, signal } = request;
    try {
      return await journal.locked(account, number, routing, { limitMs: LOCK_LIMIT_MS, signal }, (within) =>
        NumberLease.#takeLocked({ ...request, signal: within }),
      );
    } catch (error) {
      throw lockError(number, error);
    }
  }

  static async #takeLocked(request: LeaseRequest): Promise<NumberLease> {
    const { routing, journal, urls, logger, signal } = request;
    const found = await conflictingLease(request);
    if (found && isShareable(request, found)) return NumberLease.#join(request, found);
    const transfer = found && (await transferOwnership(request, found));
    const from = transfer?.from;
    const planned = transfer?.entry ?? (await newEntry(request, from));
    // `from` is another one's still when it is replaced: it comes back should this fail.
    const entry = await journal.take(planned, from);
    if (!entry) throw heldBy(request.number, planned);
    try {
      // The user has chosen the address of a kept number, and it serves others too: it never is an old one of ours.
      if (!entry.isKept) await journal.note(urls);
      await register(routing, journal, entry, signal);
    } catch (error) {
      logger.warn('a number could not be registered', { provider: entry.account.provider });
      await giveUp(request, entry, from, error);
      throw error;
    }
    return new NumberLease(entry, routing, journal);
  }

  /** Nothing is changed at the provider, unless a run that has lost the number has changed it late. */
  static async #join({ routing, journal, secret, signal }: LeaseRequest, found: LeaseEntry): Promise<NumberLease> {
    const { number, secret: theirs } = found.change;
    if (secret !== theirs && secret !== undefined && theirs !== undefined) throw otherSecret(number);
    const joined = (await journal.sharing?.join(found)) ?? found;
    const lease = new NumberLease(joined, routing, journal);
    try {
      if ((await lease.#keepInPlace(signal)) === 'changed') {
        throw changedBySomebody(await routeNow(routing, lease.change, signal));
      }
    } catch (error) {
      await journal.leaveToOthers(lease.#entry);
      throw error;
    }
    return lease;
  }

  /**
   * Says early what {@link take} would say, before anything else is done for the number.
   * @throws VoicebotError VB_NUMBER_HELD by a run that lives
   */
  static async refuseHeld({
    account,
    number,
    journal,
    isTaking,
    isLive = isLiveAddress,
    signal,
  }: Pick<LeaseRequest, 'account' | 'number' | 'journal' | 'isTaking' | 'isLive' | 'signal'>): Promise<void> {
    const entry = await journal.read(account, number);
    if (!entry || entry.isKept || isTaking || (await journal.isOrphan(entry, isLive, signal))) return;
    if (journal.sharing && entry.cluster) return; // whether it can be held together shows when our address is known
    throw heldBy(number, entry);
  }

  /** Every number that this process alone has to give back, also those that `configure-number` has pointed at it. */
  static held({
    routing,
    account,
    journal,
  }: Pick<LeaseRequest, 'routing' | 'account'> & { readonly journal: LeaseJournal }): NumberLease[] {
    const own = thisProcess();
    return journal
      .entries()
      .filter((entry) => !entry.isKept && !entry.cluster)
      .filter((entry) => isSameProcess(entry, own) && isSameAccount(entry.account, account))
      .map((entry) => new NumberLease(entry, routing, journal));
  }

  /** E.164. */
  get number(): string {
    return this.#entry.change.number;
  }

  /** Another for every time a number is taken. */
  get id(): string {
    return this.#entry.leaseId;
  }

  /** Nothing is left to be done for it. */
  get isGivenBack(): boolean {
    return this.#outcome !== undefined;
  }

  /** How the number was before. */
  get route(): NumberRoute {
    return this.#entry.route;
  }

  /** What was done to it; holds secrets. */
  get change(): RouteChange {
    return this.#entry.change;
  }

  /**
   * Points the number at a new address of ours. When that fails the lease goes on, and moving it can be tried again.
   * @throws VoicebotError VB_NUMBER_HELD when the number was taken from us, VB_REGISTRATION_FAILED also when a person or another
   *   program has changed it meanwhile, and what a request throws
   */
  async move(urls: RouteUrls, signal?: AbortSignal): Promise<void> {
    await this.#locked(LOCK_LIMIT_MS, signal, async (within) => {
      const { routing, journal } = this;
      const ours = await journal.owned(this.#entry);
      if (!ours) throw takenAway(this.number);
      const route = await routeNow(routing, { ...ours.change, urls: [urls] }, within);
      if (!pointsAt(ours.change, route)) throw changedBySomebody(route);
      this.#entry = await journal.replace({ ...ours, change: withUrls(ours.change, urls) });
      await journal.note(urls);
      await register(routing, journal, this.#entry, within);
    });
  }

  /**
   * Looks whether the number still points where it should, and points it there again when another run of ours has changed it
   * that had lost it already: a process that stood still may carry out late what it had begun.
   * @param everyMs how often one of all the runs looks that hold the number, in milliseconds
   * @returns undefined when it is not for us to look now
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE and what a request throws
   */
  async check(everyMs: number, signal?: AbortSignal): Promise<NumberPlace | undefined> {
    const ours = (await this.journal.owned(this.#entry)) ?? (await this.#rejoin());
    if (!ours || this.isGivenBack) return 'taken';
    this.#entry = ours;
    if ((await this.journal.sharing?.isTurn(ours, everyMs)) === false) return undefined;
    if (!(await this.routing.verify(ours.change, signal))) return 'in_place';
    return this.#locked(LOCK_LIMIT_MS, signal, (within) => this.#keepInPlace(within));
  }

  /** A run that has taken the number while nothing was heard of us may be reached by our address: it is held together then. */
  async #rejoin(): Promise<LeaseEntry | undefined> {
    const { journal, change } = this;
    const found = await journal.read(this.#entry.account, this.number);
    if (!found || !isShareable({ journal, urls: currentUrls(change) }, found)) return undefined;
    if (found.change.secret !== change.secret || (await journal.isOrphan(found, async () => true))) return undefined;
    return journal.sharing?.join(found);
  }

  /** Only under the lock of the number. */
  async #keepInPlace(signal: AbortSignal | undefined): Promise<NumberPlace> {
    const ours = await this.journal.owned(this.#entry);
    if (!ours || this.isGivenBack) return 'taken';
    const { place, entry } = await keepInPlace(this.routing, this.journal, ours, signal);
    this.#entry = entry;
    return place;
  }

  /**
   * Puts back what was there before, unless others hold the number too; again when that has failed. Done once, it stays done.
   * @param signal gives up; default after 5 s
   * @returns `foreign` also when another run has taken the number from us, which will give it back
   * @throws VoicebotError VB_RESTORE_FAILED, with the command that does it later
   */
  async giveBack(signal: AbortSignal = timeLimit(GIVE_BACK_MS)): Promise<GiveBackOutcome> {
    if (this.#outcome) return this.#outcome;
    try {
      this.#outcome = await this.#giveBack(signal);
      return this.#outcome;
    } catch (error) {
      throw notGivenBack(this.number, error);
    }
  }

  async #giveBack(signal: AbortSignal): Promise<GiveBackOutcome> {
    let isBegun = false;
    try {
      return await this.#locked(GIVE_BACK_MS, signal, async (within) => {
        isBegun = true;
        const ours = await this.journal.owned(this.#entry);
        if (!ours) return 'foreign';
        if (await this.journal.leaveToOthers(ours)) return 'left_to_others';
        const outcome = await undoEntry(this.journal, ours, this.routing, within);
        await this.#clearAway(ours, within).catch(() => {}); // the number is back; the next to give it back tries again
        return outcome;
      });
    } catch (error) {
      if (await this.#isLost()) return 'foreign';
      if (isBegun || signal.aborted || error instanceof VoicebotError) throw error;
      // The folder cannot be written to: no other process can be at it, and the entry stays.
      return this.routing.undo(this.change, signal);
    }
  }

  /** Whether a cluster knows a newer holder: a lock that was lost, or what that has changed, is why something failed then. */
  async #isLost(): Promise<boolean> {
    if (!this.journal.sharing) return false;
    try {
      return (await this.journal.owned(this.#entry)) === undefined;
    } catch {
      return false; // Redis cannot say
    }
  }

  /** What runs that have lost the number have made at the provider meanwhile. */
  async #clearAway(ours: LeaseEntry, signal: AbortSignal | undefined): Promise<void> {
    const { sharing } = this.journal;
    const lost = (await sharing?.lostChanges(ours)) ?? [];
    for (const change of lost) await this.routing.undo(change, signal);
    if (lost.length > 0) await sharing?.forgetLostChanges(ours);
  }

  async #locked<T>(
    limitMs: number,
    signal: AbortSignal | undefined,
    act: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.journal.locked(this.#entry.account, this.number, this.routing, { limitMs, signal }, act);
    } catch (error) {
      throw lockError(this.number, error);
    }
  }
}

/**
 * After a registration that failed: the number goes back to the run it was taken from, else it is put back.
 * @param error why it failed
 * @throws VoicebotError VB_RESTORE_FAILED; the journal still has all that is needed
 */
async function giveUp(
  { routing, journal }: LeaseRequest,
  entry: LeaseEntry,
  found: LeaseEntry | undefined,
  error: unknown,
): Promise<void> {
  // Not the signal of the request: it may be what made us give up.
  const signal = timeLimit(GIVE_BACK_MS);
  try {
    if (journal.sharing && !(await journal.owned(entry))) return; // it is another run's by now
    if (found?.change.leaseId !== entry.change.leaseId) {
      await undoEntry(journal, entry, routing, signal);
      return;
    }
    const back = withUrls(entry.change, currentUrls(found.change));
    const { secret } = found.change;
    await register(routing, journal, { ...entry, change: secret === undefined ? back : { ...back, secret } }, signal);
    await journal.handBack(entry, found);
  } catch (cause) {
    throw notGivenBack(entry.change.number, cause, error);
  }
}
