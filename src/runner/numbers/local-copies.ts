import type { Logger } from '../../base/logger.js';
import { isSameProcess, thisProcess } from '../../base/process/process-identity.js';
import type { RouteUrls } from '../../call/number-routing.js';
import type { LeaseAccount, LeaseEntry } from './lease-entry.js';
import type { KnownAddresses, LeaseJournal } from './lease-journal.js';

/**
 * What a runner of a cluster has on its own disk of the numbers that it holds, should Redis lose them, beside what processes of
 * this machine hold by themselves.
 */
export class LocalCopies {
  constructor(
    private readonly files: LeaseJournal,
    private readonly logger: Logger,
  ) {}

  /** @param token what Redis knows of a number that no runner holds: a copy that is not newer is of one that was given back */
  read(account: LeaseAccount, number: string, token: number | undefined): LeaseEntry | undefined {
    const entry = this.files.read(account, number);
    if (!entry?.cluster || token === undefined || token < entry.cluster.token) return entry;
    this.files.settle(entry);
    return entry.below;
  }

  entries(): readonly LeaseEntry[] {
    return this.files.entries();
  }

  /** A disk that is full, or a folder that is gone, is no hindrance: Redis has the entry. */
  write(entry: LeaseEntry): void {
    try {
      const here = this.files.read(entry.account, entry.change.number);
      if (isCopyOf(entry, here)) return;
      // What configure-number has set on another machine is for that machine to remember.
      const below = here?.isKept ? here : here?.below;
      this.files.replace({ ...entry, ...thisProcess(), below });
    } catch (error) {
      this.logger.warn('a number of the cluster could not be written to the disk of this machine', { error });
    }
  }

  /** The number is not ours any more. The copy of another process of this machine stays. */
  forget({ account, change }: LeaseEntry): void {
    this.#tidy(() => {
      const here = this.files.read(account, change.number);
      if (here?.cluster && isSameProcess(here, thisProcess())) this.files.settle(here);
    });
  }

  /** No runner holds the number any more. */
  settle(entry: LeaseEntry): void {
    this.#tidy(() => {
      const here = this.files.read(entry.account, entry.change.number);
      if (here && (here.leaseId === entry.leaseId || here.cluster)) this.files.settle(here);
    });
  }

  /** What a process of this machine holds by itself, again. */
  restore(entry: LeaseEntry): void {
    this.#tidy(() => this.files.replace(entry));
  }

  note(urls: RouteUrls): void {
    this.#tidy(() => this.files.note(urls));
  }

  knownAddresses(): KnownAddresses {
    return this.files.knownAddresses();
  }

  #tidy(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.logger.warn('the journal of numbers on this machine could not be written', { error });
    }
  }
}

const isCopyOf = ({ cluster }: LeaseEntry, here: LeaseEntry | undefined) =>
  here?.cluster !== undefined && here.cluster.token === cluster?.token && here.cluster.revision === cluster.revision;
