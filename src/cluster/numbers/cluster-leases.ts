import { pause } from '../../base/async/pause.js';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { NumberRouting, RouteChange, RouteUrls } from '../../call/number-routing.js';
import { LockHeldError } from '../../runner/numbers/durable-file.js';
import {
  accountNameOf,
  type LeaseAccount,
  type LeaseEntry,
  type LeaseShare,
  leaseNameOf,
  readLeaseEntry,
} from '../../runner/numbers/lease-entry.js';
import { takenAway } from '../../runner/numbers/lease-errors.js';
import { withoutQuery } from '../../runner/numbers/lease-journal.js';
import { type IsLive, isOrphan } from '../../runner/numbers/lease-liveness.js';
import type { LeaseSharing, LeaseStore, LockWait } from '../../runner/numbers/lease-store.js';
import type { LocalCopies } from '../../runner/numbers/local-copies.js';
import type { Cluster } from '../members/cluster.js';
import type { RedisScript } from '../redis/redis-link.js';
import { withRedisLock } from '../redis/redis-lock.js';
import { CLAIM, HAND_BACK, HOLD, NOTE, SETTLE, TAKE, TAKE_LATE } from './lease-scripts.js';

/** How long a lock outlives a runner that stands still, in milliseconds. */
const LOCK_MS = 10_000;
/** How long those who hold a number have to write it down again in a Redis that has lost it, in milliseconds. */
const REAPPEAR_MS = 3_000;
const LOOK_EVERY_MS = 100;

/** What Redis knows of a number; the token outlives the entry. */
interface Stored {
  readonly token: number | undefined;
  readonly entry: LeaseEntry | undefined;
}

/**
 * The numbers that the runners of a cluster have pointed at themselves. Redis has each entry, with the former secret of a number
 * in it, so all who may read this Redis can sign its webhooks; every runner that holds a number has the entry in its memory and
 * on its disk as well, and writes it down again when Redis has lost it. Numbers that one process of this machine holds by itself
 * are in the files as ever.
 */
export class ClusterLeases implements LeaseStore {
  readonly sharing: LeaseSharing = {
    join: (found) => this.#join(found),
    reappearing: (account, number, signal) => this.#reappearing(account, number, signal),
    isTurn: (entry, everyMs) => this.#isTurn(entry, everyMs),
    takeLateUndo: (entry) => this.#takeLateUndo(entry),
    lostChanges: (entry) => this.#lostChanges(entry),
    forgetLostChanges: (entry) => this.#forgetLostChanges(entry),
  };
  /** What this runner holds, by name. */
  readonly #held = new Map<string, LeaseEntry>();
  readonly #noted = new Set<string>();
  readonly #onUp = () => void this.#writeAgain();

  /** @param options `lockMs`: how long a lock outlives a runner that stands still, default 10 s */
  constructor(
    private readonly cluster: Cluster,
    private readonly copies: LocalCopies,
    private readonly logger: Logger,
    private readonly options: { readonly lockMs?: number } = {},
  ) {
    cluster.redis.on('up', this.#onUp);
  }

  /** Writes nothing down again from now on. */
  close(): void {
    this.cluster.redis.off('up', this.#onUp);
  }

  async read(account: LeaseAccount, number: string): Promise<LeaseEntry | undefined> {
    const { token, entry } = await this.#stored(leaseNameOf(account, number));
    return entry ?? this.copies.read(account, number, token);
  }

  async entries(): Promise<readonly LeaseEntry[]> {
    const names = await this.#ask(() => this.cluster.redis.run((redis) => redis.smembers(this.#index)));
    const shared = (await Promise.all(names.map((name) => this.#stored(name)))).flatMap(({ entry }) => entry ?? []);
    const others = this.copies
      .entries()
      .filter((one) => !names.includes(nameOf(one)))
      .map((one) => this.read(one.account, one.change.number));
    const all = [...shared, ...(await Promise.all(others)).flatMap((entry) => entry ?? [])];
    return all.sort((a, b) => (a.change.number < b.change.number ? -1 : 1));
  }

  async isOrphan(entry: LeaseEntry, isLive: IsLive, signal?: AbortSignal): Promise<boolean> {
    const { token, entry: stored } = await this.#stored(nameOf(entry));
    if (!stored || token !== entry.cluster?.token) return isOrphan(entry, isLive, signal);
    return !(stored.cluster?.holders ?? []).some((id) => this.cluster.members.isAlive(id));
  }

  async take(entry: LeaseEntry, found: LeaseEntry | undefined): Promise<LeaseEntry | undefined> {
    const expected = found?.cluster?.token ?? '';
    const token = await this.#script(TAKE, entry, [expected, textOf(entry), this.#ownId, nameOf(entry)]);
    if (token === null) return undefined;
    return this.#keep({ ...entry, cluster: { token: Number(token), revision: 1, holders: [this.#ownId] } });
  }

  async handBack(entry: LeaseEntry, found: LeaseEntry): Promise<void> {
    this.#forget(entry);
    if (!found.cluster) {
      await this.settle(entry);
      this.copies.restore(found);
      return;
    }
    const { token, revision, holders } = found.cluster;
    await this.#script(HAND_BACK, entry, [tokenOf(entry), token, revision, textOf(found), ...holders]);
  }

  async owned(entry: LeaseEntry): Promise<LeaseEntry | undefined> {
    const { token, revision, holders } = shareOf(entry);
    const args = [token, revision, textOf(entry), nameOf(entry), this.#ownId, ...new Set([this.#ownId, ...holders])];
    const answer = (await this.#script(HOLD, entry, args)) as [string, string, string[]] | null;
    if (answer) return this.#keep(parsed(answer[1], { token, revision: Number(answer[0]), holders: answer[2] }));
    this.#forget(entry);
    return undefined;
  }

  async replace(entry: LeaseEntry): Promise<LeaseEntry> {
    const share = shareOf(entry);
    const replaced = await this.owned({ ...entry, cluster: { ...share, revision: share.revision + 1 } });
    if (!replaced) throw takenAway(entry.change.number);
    return replaced;
  }

  async leaveToOthers(entry: LeaseEntry): Promise<boolean> {
    const { members, redis } = this.cluster;
    const others = shareOf(entry).holders.filter((id) => id !== this.#ownId && members.isAlive(id));
    if (others.length === 0) return false;
    await this.#ask(() => redis.run((client) => client.srem(this.#holdersOf(entry), this.#ownId)));
    this.#forget(entry);
    return true;
  }

  async beforeUndo(entry: LeaseEntry): Promise<LeaseEntry> {
    const isOurs =
      this.#held.get(nameOf(entry))?.cluster?.token === entry.cluster?.token && entry.cluster !== undefined;
    const token = await this.#script(CLAIM, entry, [entry.cluster?.token ?? '', isOurs ? 1 : 0]);
    if (token === null) throw takenAway(entry.change.number);
    return { ...entry, cluster: { revision: 1, holders: [], ...entry.cluster, token: Number(token) } };
  }

  async settle(entry: LeaseEntry): Promise<boolean> {
    const keys = [this.#keyOf(entry), this.#holdersOf(entry), this.#index];
    const isSettled = await this.#ask(() => this.cluster.redis.script(SETTLE, keys, [tokenOf(entry), nameOf(entry)]));
    this.#held.delete(nameOf(entry));
    this.copies.settle(entry);
    return isSettled === 1;
  }

  async note(urls: RouteUrls): Promise<void> {
    for (const url of [urls.answerUrl, urls.hangupUrl]) this.#noted.add(withoutQuery(url));
    this.copies.note(urls);
    await this.#ask(() => this.cluster.redis.script(NOTE, [this.#addresses], [...this.#noted]));
  }

  async knownAddresses(): Promise<{ has(url: string): boolean }> {
    const { redis } = this.cluster;
    const urls = new Set(await this.#ask(() => redis.run((client) => client.zrange(this.#addresses, '0', '-1'))));
    return { has: (url) => urls.has(withoutQuery(url)) || this.copies.knownAddresses().has(url) };
  }

  locked<T>(
    account: LeaseAccount,
    number: string,
    { changesOneAtATime = false }: Pick<NumberRouting, 'changesOneAtATime'>,
    { limitMs, signal }: LockWait,
    act: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    const { redis } = this.cluster;
    const name = changesOneAtATime ? accountNameOf(account) : leaseNameOf(account, number);
    const { lockMs: expiresMs = LOCK_MS } = this.options;
    const onHeld = () => new LockHeldError(undefined);
    return withRedisLock(redis, redis.key('lease-lock', name), { limitMs, expiresMs, signal, onHeld }, act);
  }

  async #join(found: LeaseEntry): Promise<LeaseEntry> {
    const { members, redis } = this.cluster;
    const joined = await this.owned(found);
    if (!joined) throw takenAway(found.change.number);
    const { holders } = shareOf(joined);
    // One that only stood still is there again as soon as it looks after the number.
    const gone = holders.filter((id) => !members.isAlive(id));
    if (gone.length > 0) await this.#ask(() => redis.run((client) => client.srem(this.#holdersOf(found), ...gone)));
    return joined;
  }

  async #reappearing(account: LeaseAccount, number: string, signal?: AbortSignal): Promise<LeaseEntry | undefined> {
    const lateAt = performance.now() + REAPPEAR_MS;
    for (;;) {
      const entry = await this.read(account, number);
      if (entry || performance.now() > lateAt) return entry;
      await pause(LOOK_EVERY_MS, signal);
    }
  }

  async #isTurn(entry: LeaseEntry, everyMs: number): Promise<boolean> {
    const { redis } = this.cluster;
    const key = redis.key('lease-look', nameOf(entry));
    // A little less, so that one's own look of before is not in the way.
    const restMs = Math.max(1, Math.floor(everyMs * 0.9));
    const set = await this.#ask(() => redis.run((client) => client.set(key, this.#ownId, 'PX', restMs, 'NX')));
    return set !== null;
  }

  async #takeLateUndo(entry: LeaseEntry): Promise<boolean> {
    const { redis } = this.cluster;
    return (await this.#ask(() => redis.script(TAKE_LATE, [this.#keyOf(entry)], [tokenOf(entry)]))) === 1;
  }

  async #lostChanges(entry: LeaseEntry): Promise<readonly RouteChange[]> {
    const { redis } = this.cluster;
    const texts = await this.#ask(() => redis.run((client) => client.lrange(this.#lostOf(entry), 0, -1)));
    return texts.flatMap((text) => readLeaseEntry(text)?.change ?? []);
  }

  async #forgetLostChanges(entry: LeaseEntry): Promise<void> {
    await this.#ask(() => this.cluster.redis.run((client) => client.del(this.#lostOf(entry))));
  }

  /** After Redis was away: it may have lost everything. */
  async #writeAgain(): Promise<void> {
    try {
      for (const entry of [...this.#held.values()]) await this.owned(entry);
      if (this.#noted.size > 0)
        await this.#ask(() => this.cluster.redis.script(NOTE, [this.#addresses], [...this.#noted]));
    } catch (error) {
      this.logger.debug('numbers could not be written down in Redis again', { error }); // at its next return, or look
    }
  }

  async #stored(name: string): Promise<Stored> {
    const { redis } = this.cluster;
    const [answers, holders] = await this.#ask(() =>
      redis.run((client) =>
        Promise.all([
          client.hmget(redis.key('lease', name), 'token', 'revision', 'entry'),
          client.smembers(redis.key('lease-holders', name)),
        ]),
      ),
    );
    const [token, revision, text] = answers;
    if (!token) return { token: undefined, entry: undefined };
    const entry = text ? parsed(text, { token: Number(token), revision: Number(revision), holders }) : undefined;
    return { token: Number(token), entry };
  }

  #keep(entry: LeaseEntry): LeaseEntry {
    this.#held.set(nameOf(entry), entry);
    this.copies.write(entry);
    return entry;
  }

  #forget(entry: LeaseEntry): void {
    this.#held.delete(nameOf(entry));
    this.copies.forget(entry);
  }

  #script(script: RedisScript, entry: LeaseEntry, args: ReadonlyArray<string | number>): Promise<unknown> {
    const keys = [this.#keyOf(entry), this.#holdersOf(entry), this.cluster.redis.key('lease-token')];
    return this.#ask(() => this.cluster.redis.script(script, [...keys, this.#index, this.#lostOf(entry)], args));
  }

  /** A Redis that answers and refuses, such as one that is loading what it knew, is of no more use than one that is away. */
  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      if (error instanceof VoicebotError) throw error;
      throw new VoicebotError('VB_CLUSTER_UNREACHABLE', `${this.cluster.redis.address}: ${String(error)}`, {
        cause: error,
      });
    }
  }

  get #ownId(): string {
    return this.cluster.members.ownId;
  }

  get #index(): string {
    return this.cluster.redis.key('leases');
  }

  get #addresses(): string {
    return this.cluster.redis.key('lease-addresses');
  }

  #keyOf(entry: LeaseEntry): string {
    return this.cluster.redis.key('lease', nameOf(entry));
  }

  #lostOf(entry: LeaseEntry): string {
    return this.cluster.redis.key('lease-lost', nameOf(entry));
  }

  #holdersOf(entry: LeaseEntry): string {
    return this.cluster.redis.key('lease-holders', nameOf(entry));
  }
}

const nameOf = ({ account, change }: LeaseEntry) => leaseNameOf(account, change.number);

const shareOf = ({ cluster = { token: 0, revision: 1, holders: [] } }: LeaseEntry): LeaseShare => cluster;

const tokenOf = (entry: LeaseEntry) => shareOf(entry).token;

/** Without what Redis keeps beside it. */
const textOf = (entry: LeaseEntry) => JSON.stringify({ ...entry, cluster: undefined });

/** @throws VoicebotError VB_CLUSTER_UNSUITABLE: nothing in it is guessed at */
function parsed(text: string, cluster: LeaseShare): LeaseEntry {
  const entry = readLeaseEntry(text);
  if (entry) return { ...entry, cluster };
  throw new VoicebotError('VB_CLUSTER_UNSUITABLE', 'what its Redis knows of a number cannot be read', {
    hint: 'use the same version of voicebot on all machines',
  });
}
