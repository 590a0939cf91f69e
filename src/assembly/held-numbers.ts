import type { Logger } from '../base/logger.js';
import type { NumberRoute, NumberRouting, RouteUrls } from '../call/number-routing.js';
import type { Cluster } from '../cluster/members/cluster.js';
import { ClusterLeases } from '../cluster/numbers/cluster-leases.js';
import type { LeaseAccount } from '../runner/numbers/lease-entry.js';
import { LeaseJournal } from '../runner/numbers/lease-journal.js';
import { pointsAt } from '../runner/numbers/lease-plan.js';
import type { LeaseStore } from '../runner/numbers/lease-store.js';
import { LocalCopies } from '../runner/numbers/local-copies.js';
import { type GiveBackOutcome, NumberLease } from '../runner/numbers/number-lease.js';
import { NumberWatch } from '../runner/numbers/number-watch.js';
import { type RestoredNumber, restoreOrphans } from '../runner/numbers/restore-leases.js';
import { type Account, leaseAccountOf, routingOf } from './account.js';
import { chooseNumber, type PickNumber } from './choose-number.js';
import { isAnswered } from './number-text.js';

/** The numbers of one account that a run has pointed at itself, and gives back. */
export class HeldNumbers {
  readonly journal: LeaseJournal;
  readonly #leaseAccount: LeaseAccount;
  /** By this run itself. */
  readonly #taken: NumberLease[] = [];
  /** In a cluster: what it agrees on. */
  readonly #shared: ClusterLeases | undefined;
  readonly #watches: NumberWatch[] = [];

  private constructor(
    private readonly account: Account,
    readonly routing: NumberRouting,
    home: string,
    private readonly logger: Logger,
    cluster: Cluster | undefined,
  ) {
    this.journal = new LeaseJournal(home);
    this.#shared = cluster && new ClusterLeases(cluster, new LocalCopies(this.journal, logger), logger);
    this.#leaseAccount = leaseAccountOf(account);
  }

  /**
   * Asks the account for nothing yet.
   * @param home state directory
   * @param cluster whose runners hold numbers together; undefined: this run is alone
   */
  static async open(account: Account, home: string, logger: Logger, cluster?: Cluster): Promise<HeldNumbers> {
    return new HeldNumbers(account, await routingOf(account), home, logger, cluster);
  }

  get #store(): LeaseStore {
    return this.#shared ?? this.journal;
  }

  /** Those held now, the ones that `voicebot configure-number` has pointed at this run among them. */
  leases(): NumberLease[] {
    return this.#all().filter(({ isGivenBack }) => !isGivenBack);
  }

  /** Also what this run has taken and the journal has lost: its folder may have been removed, or be out of reach. */
  #all(): NumberLease[] {
    const { routing, journal } = this;
    const account = this.#leaseAccount;
    try {
      const written = NumberLease.held({ routing, account, journal });
      const lost = this.#taken.filter(({ number }) => this.#shared || journal.read(account, number) === undefined);
      return [...written.map((one) => this.#taken.find(({ id }) => id === one.id) ?? one), ...lost];
    } catch {
      return this.#taken;
    }
  }

  /**
   * The number to answer.
   * @param isTaking even from another run
   * @param pick asks a person which of several; undefined where none is there
   * @returns how it is set now
   * @throws VoicebotError VB_NUMBER_UNKNOWN, VB_NUMBER_AMBIGUOUS, VB_NUMBER_NO_VOICE, VB_NUMBER_HELD, VB_CLUSTER_UNREACHABLE,
   *   VB_CREDENTIALS_REFUSED and what a request throws
   */
  async choose(isTaking: boolean, pick?: PickNumber): Promise<NumberRoute> {
    const route = await chooseNumber(this.routing, this.account, pick);
    const { number } = route;
    await NumberLease.refuseHeld({ account: this.#leaseAccount, number, journal: this.#store, isTaking });
    return route;
  }

  /**
   * Whether callers would reach this run in place of another server that answers them now: not where none answers, and not where
   * the number points at `ownOrigin`, or at an earlier run of this user.
   * @param ownOrigin the public address of this run, where it is known already
   */
  async answersElsewhere(route: NumberRoute, ownOrigin: string | undefined): Promise<boolean> {
    const { number, webhookUrl, isOurs } = route;
    if (!isAnswered(route)) return false;
    if (webhookUrl && ownOrigin && webhookUrl.startsWith(`${ownOrigin}/`)) return false;
    const entry = await this.#store.read(this.#leaseAccount, number);
    if (entry) return entry.isKept || !pointsAt(entry.change, route);
    return !isOurs && !(webhookUrl && (await this.#store.knownAddresses()).has(webhookUrl));
  }

  /** Gives back what earlier runs of this account have left. */
  restoreOrphans(): Promise<readonly RestoredNumber[]> {
    const { routing, logger } = this;
    return restoreOrphans({ routing, account: this.#leaseAccount, journal: this.#store, logger });
  }

  /**
   * Points a number at `urls`.
   * @param options `secret`: signs the room provider's webhooks, base64; `isTaking`: even from another run
   * @throws VoicebotError VB_NUMBER_HELD, VB_REGISTRATION_FAILED, VB_CLUSTER_UNREACHABLE, VB_CLUSTER_UNSUITABLE and what a request throws
   */
  async take(
    number: string,
    urls: RouteUrls,
    { secret, isTaking }: { readonly secret: string; readonly isTaking: boolean },
    signal: AbortSignal,
  ): Promise<NumberLease> {
    const { routing, logger } = this;
    const lease = await NumberLease.take({
      routing,
      account: this.#leaseAccount,
      number,
      urls,
      secret: this.account.kind === 'rooms' ? secret : undefined,
      journal: this.#store,
      isTaking,
      logger,
      signal,
    });
    this.#taken.push(lease);
    if (this.#shared) this.#watches.push(new NumberWatch(lease, logger));
    return lease;
  }

  /** Points all of them at a new address of this run. @throws what the first that failed throws; the others are moved */
  async move(urls: RouteUrls, signal: AbortSignal): Promise<void> {
    await allOf(this.leases().map((lease) => lease.move(urls, signal)));
  }

  /**
   * Gives all of them back.
   * @returns what became of each
   * @throws VoicebotError VB_RESTORE_FAILED after all had their turn
   */
  async giveBack(
    signal: AbortSignal,
    onGivenBack: (lease: NumberLease, outcome: GiveBackOutcome) => void = () => {},
  ): Promise<void> {
    await this.#stopWatching();
    await allOf(
      this.leases().map(async (lease) => {
        onGivenBack(lease, await lease.giveBack(signal));
      }),
    );
  }

  async close(): Promise<void> {
    await this.#stopWatching();
    this.#shared?.close();
    await this.routing.close();
  }

  async #stopWatching(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.stop()));
  }
}

/** Waits for all, also when some fail. @throws the first failure */
async function allOf(work: ReadonlyArray<Promise<void>>): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((one) => one.status === 'rejected');
  if (failed?.status === 'rejected') {
    throw failed.reason;
  }
}
