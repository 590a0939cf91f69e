import type { NumberRouting, RouteUrls, UndoOutcome } from '../../call/number-routing.js';
import type { Config } from '../../config/config.js';
import { VoicebotError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { type LeaseAccount, LeaseJournal } from '../../runner/numbers/lease-journal.js';
import { NumberLease } from '../../runner/numbers/number-lease.js';
import { type RestoredNumber, restoreOrphans } from '../../runner/numbers/restore-leases.js';
import { type Account, leaseAccountOf, routingOf } from './account.js';
import { PROVIDER_WORDS, type TransportKind } from './transports.js';

/** The numbers of one account that a run has pointed at itself, and gives back. */
export class HeldNumbers {
  readonly journal: LeaseJournal;
  readonly #leaseAccount: LeaseAccount;
  /** By this run itself. */
  readonly #taken: NumberLease[] = [];

  private constructor(
    private readonly account: Account,
    readonly routing: NumberRouting,
    home: string,
    private readonly logger: Logger,
  ) {
    this.journal = new LeaseJournal(home);
    this.#leaseAccount = leaseAccountOf(account);
  }

  /**
   * Asks the account for nothing yet.
   * @param home state directory
   */
  static async open(account: Account, home: string, logger: Logger): Promise<HeldNumbers> {
    return new HeldNumbers(account, await routingOf(account), home, logger);
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
      const lost = this.#taken.filter(({ number }) => journal.read(account, number) === undefined);
      return [...written.map((one) => this.#taken.find(({ id }) => id === one.id) ?? one), ...lost];
    } catch {
      return this.#taken;
    }
  }

  /**
   * The number to answer.
   * @param isTaking even from another run
   * @throws VoicebotError VB_NUMBER_UNKNOWN, VB_NUMBER_HELD, VB_CREDENTIALS_REFUSED and what a request throws
   */
  async choose(isTaking: boolean): Promise<string> {
    const number = await chooseNumber(this.routing, this.account.phoneNumber, this.account.kind);
    await NumberLease.refuseHeld({ account: this.#leaseAccount, number, journal: this.journal, isTaking });
    return number;
  }

  /** Gives back what earlier runs of this account have left. */
  restoreOrphans(): Promise<readonly RestoredNumber[]> {
    const { routing, journal, logger } = this;
    return restoreOrphans({ routing, account: this.#leaseAccount, journal, logger });
  }

  /**
   * Points a number at `urls`.
   * @param options `secret`: signs the room provider's webhooks, base64; `isTaking`: even from another run
   * @throws VoicebotError VB_NUMBER_HELD, VB_REGISTRATION_FAILED and what a request throws
   */
  async take(
    number: string,
    urls: RouteUrls,
    {
      secret,
      isTaking,
      carrierApplication,
    }: Pick<Config, 'carrierApplication'> & { secret: string; isTaking: boolean },
    signal: AbortSignal,
  ): Promise<NumberLease> {
    const { routing, journal, logger } = this;
    const lease = await NumberLease.take({
      routing,
      account: this.#leaseAccount,
      number,
      urls,
      secret: this.account.kind === 'rooms' ? secret : undefined,
      isInPlace: carrierApplication === 'existing',
      journal,
      isTaking,
      logger,
      signal,
    });
    this.#taken.push(lease);
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
    onGivenBack: (lease: NumberLease, outcome: UndoOutcome) => void = () => {},
  ): Promise<void> {
    await allOf(
      this.leases().map(async (lease) => {
        onGivenBack(lease, await lease.giveBack(signal));
      }),
    );
  }

  close(): Promise<void> {
    return this.routing.close();
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
