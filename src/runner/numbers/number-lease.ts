import { withGrace } from '../../async/grace.js';
import type { NumberRoute, NumberRouting, RouteChange, RouteUrls, UndoOutcome } from '../../call/number-routing.js';
import { VoicebotError } from '../../errors.js';
import { isSameProcess, thisProcess } from '../../process/process-identity.js';
import { isSameAccount, type LeaseEntry, type LeaseJournal, withoutQuery } from './lease-journal.js';
import { currentUrls, heldBy, isLiveAddress, isOrphan, lockError, notGivenBack, takenAway } from './lease-owner.js';
import { conflictingLease, type LeaseRequest, newEntry, pointsAt, transferOwnership, withUrls } from './lease-plan.js';
import { undoEntry } from './restore-leases.js';

/** How long another process may be changing the number before we give up, in milliseconds. */
const LOCK_LIMIT_MS = 30_000;
/** How long giving a number back may take, in milliseconds: after Ctrl-C somebody waits for it. */
const GIVE_BACK_MS = 5_000;
/** How long a change that is on its way to the provider is waited for when it is not wanted any more, in milliseconds. */
const ARRIVE_MS = 2_000;

/**
 * One number that points at us for a while. How it was is on the disk before anything is changed, so that the next run, or
 * `voicebot restore`, puts it back when we cannot.
 */
export class NumberLease {
  #entry: LeaseEntry;
  #outcome: UndoOutcome | undefined;

  private constructor(
    entry: LeaseEntry,
    private readonly routing: NumberRouting,
    private readonly journal: LeaseJournal,
  ) {
    this.#entry = entry;
  }

  /**
   * Gives back what a run that is gone has left of this number, then points it at `urls`, and reads back that it does.
   * When that fails everything is as it was, or the error says how to make it so.
   * @throws VoicebotError VB_NUMBER_HELD by a run that lives, on this machine or, where its address answers, another;
   *   VB_REGISTRATION_FAILED, VB_NUMBER_UNKNOWN, VB_RESTORE_FAILED, and what a request throws
   */
  static async take(request: LeaseRequest): Promise<NumberLease> {
    const { routing, account, number, journal, signal } = request;
    try {
      return await journal.locked(account, number, routing, { limitMs: LOCK_LIMIT_MS, signal }, () =>
        NumberLease.#takeLocked(request),
      );
    } catch (error) {
      throw lockError(number, error);
    }
  }

  static async #takeLocked(request: LeaseRequest): Promise<NumberLease> {
    const { routing, journal, urls, logger, signal } = request;
    const found = await conflictingLease(request);
    const entry = (found && (await transferOwnership(request, found))) ?? (await newEntry(request, found));
    // `found` is another one's still when it is replaced: it comes back should this fail.
    if (journal.read(entry.account, entry.change.number)) journal.replace(entry);
    else if (!journal.create(entry)) throw heldBy(request.number, entry);
    try {
      // Whoever keeps an address has chosen it, and it serves others too: it never is an old one of ours.
      if (!entry.isKept) journal.addresses.note(urls);
      await register(routing, entry.change, signal);
    } catch (error) {
      logger.warn('a number could not be registered', { provider: entry.account.provider });
      await giveUp(request, entry, found, error);
      throw error;
    }
    return new NumberLease(entry, routing, journal);
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
    const entry = journal.read(account, number);
    if (!entry || entry.isKept || isTaking || (await isOrphan(entry, isLive, signal))) return;
    throw heldBy(number, entry);
  }

  /** Every number that this process has to give back, also those that `configure-number` has pointed at it. */
  static held({ routing, account, journal }: Pick<LeaseRequest, 'routing' | 'account' | 'journal'>): NumberLease[] {
    const own = thisProcess();
    return journal
      .entries()
      .filter((entry) => !entry.isKept && isSameProcess(entry, own) && isSameAccount(entry.account, account))
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
   * @throws VoicebotError VB_NUMBER_HELD when the number was taken from us, VB_REGISTRATION_FAILED also when somebody has
   *   changed it meanwhile, and what a request throws
   */
  async move(urls: RouteUrls, signal?: AbortSignal): Promise<void> {
    await this.#locked(LOCK_LIMIT_MS, signal, async () => {
      if (!this.#isOurs()) throw takenAway(this.number);
      const { routing, journal } = this;
      // Only to look: what was there before is known, its secret too.
      const target = { ...this.change, urls, secret: undefined, isOldAddress: () => false };
      const { route } = await routing.plan(target, signal);
      if (!pointsAt(this.change, route)) {
        const now = route.webhookUrl ? `go to ${withoutQuery(route.webhookUrl)}` : 'go to nobody';
        throw new VoicebotError('VB_REGISTRATION_FAILED', `somebody has changed ${this.number}: its calls ${now}`, {
          hint: 'start again to take the number back',
        });
      }
      this.#entry = { ...this.#entry, change: withUrls(this.change, urls) };
      journal.replace(this.#entry);
      journal.addresses.note(urls);
      await register(routing, this.change, signal);
    });
  }

  /**
   * Puts back what was there before; again when that has failed. Done once, it stays done.
   * @param signal gives up; default after 5 s
   * @returns `foreign` also when another run has taken the number from us, which will give it back
   * @throws VoicebotError VB_RESTORE_FAILED, with the command that does it later
   */
  async giveBack(signal: AbortSignal = AbortSignal.timeout(GIVE_BACK_MS)): Promise<UndoOutcome> {
    if (this.#outcome) return this.#outcome;
    try {
      this.#outcome = await this.#giveBack(signal);
      return this.#outcome;
    } catch (error) {
      throw notGivenBack(this.number, error);
    }
  }

  async #giveBack(signal: AbortSignal): Promise<UndoOutcome> {
    let isBegun = false;
    try {
      return await this.#locked(GIVE_BACK_MS, signal, async () => {
        isBegun = true;
        return this.#isOurs() ? undoEntry(this.journal, this.#entry, this.routing, signal) : 'foreign';
      });
    } catch (error) {
      if (isBegun || signal.aborted || error instanceof VoicebotError) throw error;
      // The folder cannot be written to: nobody else can be at it, and the entry stays.
      return this.routing.undo(this.change, signal);
    }
  }

  async #locked<T>(limitMs: number, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    try {
      return await this.journal.locked(this.#entry.account, this.number, this.routing, { limitMs, signal }, act);
    } catch (error) {
      throw lockError(this.number, error);
    }
  }

  /** What the journal has lost is known here. Whoever has settled it has put the number back, which the provider shows. */
  #isOurs(): boolean {
    const entry = this.journal.read(this.#entry.account, this.number);
    return entry === undefined || entry.leaseId === this.#entry.leaseId;
  }
}

/** @throws VoicebotError VB_REGISTRATION_FAILED naming what is not as it should be, and what a request throws */
async function register(routing: NumberRouting, change: RouteChange, signal?: AbortSignal): Promise<void> {
  // What is on its way may be done although nobody waits for it any more, and then after it was undone.
  await withGrace(signal, ARRIVE_MS, (later) => routing.apply(change, later));
  signal?.throwIfAborted();
  const difference = await routing.verify(change, signal);
  if (difference) {
    throw new VoicebotError('VB_REGISTRATION_FAILED', difference, {
      hint: "see whether somebody else changes the number at this moment, and look at it in the provider's dashboard",
    });
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
  const signal = AbortSignal.timeout(GIVE_BACK_MS);
  try {
    if (found?.change.leaseId !== entry.change.leaseId) {
      await undoEntry(journal, entry, routing, signal);
      return;
    }
    const back = withUrls(entry.change, currentUrls(found.change));
    await register(
      routing,
      found.change.secret === undefined ? back : { ...back, secret: found.change.secret },
      signal,
    );
    journal.replace(found);
  } catch (cause) {
    throw notGivenBack(entry.change.number, cause, error);
  }
}
