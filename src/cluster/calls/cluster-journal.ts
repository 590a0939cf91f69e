import type { Logger } from '../../base/logger.js';
import { fingerprintOf } from '../../base/secret.js';
import { LONGEST_CALL_MS } from '../../call/call.js';
import type { JournalAccount, ObligationJournal, ObligationKind } from '../../runner/calls/debts/hangup-journal.js';
import type { Cluster } from '../members/cluster.js';
import { LostRunnerWatch } from '../members/lost-runner-watch.js';
import { type OwnerChange, OwnerRegister } from '../members/owner-register.js';

export interface ClusterJournalOptions {
  readonly cluster: Cluster;
  /** That of this runner's disk. */
  readonly file: ObligationJournal;
  readonly account: JournalAccount;
  readonly kind: ObligationKind;
  readonly logger: Logger;
}

/**
 * Obligations on this runner's disk first, then in Redis, where the runners that are alive find those of one that is gone. No call
 * waits for Redis: while it is away changes are remembered, and when it is back, perhaps empty, everything open is written again.
 */
export class ClusterJournal implements ObligationJournal {
  readonly #register: OwnerRegister;
  /** What this runner owes, and the term under which Redis knows it; 0 as long as Redis has not answered. */
  readonly #open = new Map<string, number>();
  readonly #unsent = new Map<string, OwnerChange['is']>();
  #sending: Promise<void> | undefined;
  readonly #gone: LostRunnerWatch;
  #take: ((ids: readonly string[]) => void) | undefined;

  constructor(private readonly options: ClusterJournalOptions) {
    const { cluster, account, kind } = options;
    const { carrier, authId, apiUrl } = account;
    const name = ['owed', kind, fingerprintOf(JSON.stringify([carrier, authId, apiUrl]))];
    this.#register = new OwnerRegister(cluster, name, LONGEST_CALL_MS);
    this.#gone = new LostRunnerWatch({ cluster, look: () => this.#takeOver() });
    cluster.redis.on('up', this.#writeAgain);
  }

  add(id: string): void {
    try {
      this.options.file.add(id);
    } finally {
      this.#change(id, 'add');
    }
  }

  remove(id: string): void {
    try {
      this.options.file.remove(id);
    } finally {
      this.#change(id, 'remove');
    }
  }

  release(id: string): void {
    try {
      this.options.file.release(id);
    } finally {
      this.#change(id, 'remove'); // there, too, only this runner's own
    }
  }

  orphans(): string[] {
    return this.options.file.orphans();
  }

  async claim(ids: readonly string[]): Promise<string[]> {
    try {
      await this.#sent();
      const owners = await this.#register.ownersOf(ids);
      const left = ids
        .map((id, at) => ({ id, from: owners[at]?.runnerId }))
        .filter(({ from }) => from === undefined || this.#isOwn(from) || this.#register.isGone(from));
      const terms = await this.#register.claim(left, { isCaretaker: true });
      const claimed = left.filter(({ id }, at) => this.#own(id, terms[at] ?? 0)).map(({ id }) => id);
      for (const id of ids) if (!claimed.includes(id)) this.#leave(id);
      return claimed;
    } catch (error) {
      this.#warn('who owes what cannot be asked of the cluster', error);
      return [];
    }
  }

  follow(take: (ids: readonly string[]) => void): void {
    if (this.#take) return;
    this.#take = take;
    this.#gone.start();
  }

  async close(): Promise<void> {
    this.#gone.stop();
    this.options.cluster.redis.off('up', this.#writeAgain);
    await this.#sent();
  }

  #isOwn(runnerId: string): boolean {
    return runnerId === this.options.cluster.members.ownId;
  }

  #own(id: string, term: number): boolean {
    if (term > 0) this.#open.set(id, term);
    return term > 0;
  }

  /** Only on this disk: in Redis it is this runner's already, and may be another's by now. */
  #keep(id: string, term: number): void {
    this.#own(id, term);
    try {
      this.options.file.add(id);
    } catch (error) {
      this.#warn('the journal could not be written', error);
    }
  }

  /** Another runner that is there has it. */
  #leave(id: string): void {
    this.#open.delete(id);
    this.#unsent.delete(id);
    try {
      this.options.file.remove(id);
    } catch (error) {
      this.#warn('the journal could not be written', error);
    }
  }

  #change(id: string, is: 'add' | 'remove'): void {
    if (is === 'remove') this.#open.delete(id);
    else if (!this.#open.has(id)) this.#open.set(id, 0);
    this.#unsent.set(id, is);
    void this.#sent();
  }

  /** Resolves when what has changed is in Redis, or Redis is away. Never rejects. */
  #sent(): Promise<void> {
    this.#sending ??= this.#send();
    return this.#sending;
  }

  async #send(): Promise<void> {
    await Promise.resolve(); // what changes together travels together
    while (this.#unsent.size > 0 && this.options.cluster.redis.isUp) {
      if (!(await this.#sendSome())) break; // until Redis is back, or the next look
    }
    this.#sending = undefined;
  }

  /** @returns whether Redis has taken it */
  async #sendSome(): Promise<boolean> {
    const changes = [...this.#unsent].map(([id, is]) => ({ id, is, term: this.#open.get(id) ?? 0 }));
    this.#unsent.clear();
    try {
      const terms = await this.#register.change(changes);
      for (const [at, { id }] of changes.entries()) if (this.#open.has(id)) this.#own(id, terms[at] ?? 0);
      return true;
    } catch (error) {
      for (const { id, is } of changes) if (!this.#unsent.has(id)) this.#unsent.set(id, is);
      this.#warn('obligations could not be written to the Redis of the cluster; they are on this disk', error);
      return false;
    }
  }

  /** Redis may have lost what it knew. What another runner has taken over meanwhile stays with that one. */
  readonly #writeAgain = (): void => {
    for (const [id, term] of this.#open) if (!this.#unsent.has(id) && term > 0) this.#unsent.set(id, 'restore');
    void this.#sent();
    if (this.#take) this.#gone.ask();
  };

  async #takeOver(): Promise<void> {
    try {
      await this.#sent();
      const taken = (await this.#register.take()).filter(({ id }) => !this.#open.has(id));
      if (taken.length === 0) return;
      for (const { id, term } of taken) this.#keep(id, term);
      this.#take?.(taken.map(({ id }) => id));
    } catch (error) {
      this.#warn('what runners that are gone have left cannot be looked for', error);
    }
  }

  #warn(message: string, error: unknown): void {
    if (this.options.cluster.redis.isUp) this.options.logger.warn(message, { kind: this.options.kind, error });
  }
}
