import { VoicebotError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { NumberRouting, RouteUrls } from '../call/number-routing.js';
import type { Cluster } from '../cluster/members/cluster.js';
import { ClusterLeases } from '../cluster/numbers/cluster-leases.js';
import type { LeaseAccount } from '../runner/numbers/lease-entry.js';
import { LeaseJournal } from '../runner/numbers/lease-journal.js';
import type { LeaseStore } from '../runner/numbers/lease-store.js';
import { LocalCopies } from '../runner/numbers/local-copies.js';
import { type GiveBackOutcome, NumberLease } from '../runner/numbers/number-lease.js';
import { NumberWatch } from '../runner/numbers/number-watch.js';
import { type RestoredNumber, restoreOrphans } from '../runner/numbers/restore-leases.js';
import { type Account, leaseAccountOf, routingOf } from './account.js';
import { PROVIDER_WORDS, type TransportKind } from './transports.js';

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
   * @throws VoicebotError VB_NUMBER_UNKNOWN, VB_NUMBER_HELD, VB_CLUSTER_UNREACHABLE, VB_CREDENTIALS_REFUSED and what a request throws
   */
  async choose(isTaking: boolean): Promise<string> {
    const number = await chooseNumber(this.routing, this.account.phoneNumber, this.account.kind);
    await NumberLease.refuseHeld({ account: this.#leaseAccount, number, journal: this.#store, isTaking });
    return number;
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

/**
 * The number that a bot shall answer: the one that is named, else the account's only one. Asks the account either way,
 * so that credentials and number are known to be good before anything else begins.
 * @param named E.164
 * @throws VoicebotError VB_NUMBER_UNKNOWN naming the account's numbers, VB_CREDENTIALS_REFUSED and what a request throws
 */
export async function chooseNumber(
  routing: Pick<NumberRouting, 'list'>,
  named: string | undefined,
  transport: TransportKind,
): Promise<string> {
  const numbers = (await routing.list()).map(({ number }) => number);
  const [only, ...others] = numbers;
  if (named !== undefined && numbers.includes(named)) return named;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  const { name, number: variable } = PROVIDER_WORDS[transport];
  if (only === undefined) {
    throw new VoicebotError('VB_NUMBER_UNKNOWN', `the account at the ${name} has no numbers`, {
      hint: `Get one at the ${name}, or try it offline: --sandbox`,
    });
  }
  const list = numbers.join(', ');
  throw named === undefined
    ? new VoicebotError('VB_NUMBER_UNKNOWN', `which one? The account has ${list}`, {
        hint: `Name it: --number ${only}, or ${variable}=${only}`,
      })
    : new VoicebotError('VB_NUMBER_UNKNOWN', `${named} is not on this account, which has ${list}`, {
        hint: `Set ${variable} to one of them, or use --number`,
      });
}
