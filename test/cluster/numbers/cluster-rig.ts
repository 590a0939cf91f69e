import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogFields, type Logger, silentLogger } from '../../../src/base/logger.js';
import type { NumberRouting } from '../../../src/call/number-routing.js';
import { ClusterLeases } from '../../../src/cluster/numbers/cluster-leases.js';
import { RedisLink } from '../../../src/cluster/redis/redis-link.js';
import { LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import type { LeaseRequest } from '../../../src/runner/numbers/lease-plan.js';
import { LocalCopies } from '../../../src/runner/numbers/local-copies.js';
import { type GiveBackOutcome, NumberLease } from '../../../src/runner/numbers/number-lease.js';
import { NumberWatch } from '../../../src/runner/numbers/number-watch.js';
import { restoreOrphans } from '../../../src/runner/numbers/restore-leases.js';
import { RedisServer } from '../redis-server.js';
import { PlayedAccount, type ProviderName } from './played-account.js';
import { NUMBER, secretAt, urlsOf } from './provider-access.js';
import { ToldMembers } from './told-members.js';

/** How often a test's runners look after their numbers, in milliseconds. */
export const LOOK_EVERY_MS = 100;

/** The part of a runner that holds numbers: with a connection, and a disk, of its own. */
export class Holder {
  #watch: NumberWatch | undefined;
  /** What the watch has said. */
  readonly said: string[] = [];

  constructor(
    readonly id: string,
    readonly host: string,
    private readonly provider: PlayedAccount,
    readonly redis: RedisLink,
    readonly state: string,
    readonly routing: NumberRouting,
    readonly leases: ClusterLeases,
  ) {}

  take(changes: Partial<LeaseRequest> = {}): Promise<NumberLease> {
    const { name, account } = this.provider;
    return NumberLease.take({
      routing: this.routing,
      account,
      number: NUMBER,
      urls: urlsOf(name, this.host),
      secret: secretAt(name),
      journal: this.leases,
      isTaking: false,
      isLive: async () => false,
      logger: silentLogger,
      ...changes,
    });
  }

  watch(lease: NumberLease): void {
    const say = (message: string, _?: LogFields) => void this.said.push(message);
    const logger: Logger = { ...silentLogger, warn: say };
    this.#watch = new NumberWatch(lease, logger, LOOK_EVERY_MS);
  }

  async giveBack(lease: NumberLease): Promise<GiveBackOutcome> {
    await this.#watch?.stop();
    return lease.giveBack();
  }

  restore() {
    const { account } = this.provider;
    return restoreOrphans({ routing: this.routing, account, journal: this.leases, isLive: async () => false });
  }

  /** Names of the entries on its disk. */
  get files(): string[] {
    return readdirSync(join(this.state, 'leases')).filter((name) => name.endsWith('.json'));
  }

  async close(): Promise<void> {
    await this.#watch?.stop();
    this.leases.close();
    this.redis.close();
    await this.routing.close();
  }
}

/** A Redis, an account at a provider, and runners that hold its numbers. */
export class ClusterRig implements AsyncDisposable {
  static async open(name: ProviderName = 'plivo'): Promise<ClusterRig> {
    return new ClusterRig(await RedisServer.start(), await PlayedAccount.open(name));
  }

  readonly home = mkdtempSync(join(tmpdir(), 'voicebot-cluster-leases-'));
  /** Runners that are there. */
  readonly alive = new Set<string>();
  readonly #holders: Holder[] = [];

  private constructor(
    readonly server: RedisServer,
    readonly provider: PlayedAccount,
  ) {}

  /** @param host of its address: those of one host are reached by one address */
  async holder(id: string, host = 'cluster'): Promise<Holder> {
    const redis = await RedisLink.connect({ url: this.server.url, name: 'test', logger: silentLogger });
    const state = join(this.home, id);
    const members = new ToldMembers(id, this.alive);
    const copies = new LocalCopies(new LeaseJournal(state), silentLogger);
    const leases = new ClusterLeases({ redis, members }, copies, silentLogger);
    const holder = new Holder(id, host, this.provider, redis, state, await this.provider.routing(), leases);
    this.#holders.push(holder);
    return holder;
  }

  /** Nothing is heard of a runner any more. */
  lose({ id }: Holder): void {
    this.alive.delete(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const holder of this.#holders) await holder.close();
    await this.provider[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    rmSync(this.home, { recursive: true, force: true });
  }
}
