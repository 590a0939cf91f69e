import { EventEmitter } from 'node:events';
import type { EndReason } from '../../call/call.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { PlacedCall } from '../../call/placed-call.js';
import type { PortableCall } from '../../runner/http/elsewhere.js';
import type { RedisLink } from '../redis/redis-link.js';
import { CLAIM, FINISH, SAVE, TAKE } from './call-directory-scripts.js';

/** How long a call that is over is remembered, in milliseconds: for as long as a captured webhook could be used. */
const OVER_MS = 24 * 60 * 60 * 1_000;
/** How long the last record of a call can be asked for, in milliseconds. */
const ENDED_MS = 60 * 60 * 1_000;
/** Calls that are over and can still be listed. */
const LISTED = 500;
/** Changes of one call that follow each other within this time are written down once, in milliseconds. */
const GATHER_MS = 10;

/** Whose a call is. */
export type Claim =
  /** `kept`: what its former runner has left of it. */
  | { readonly is: 'ours'; readonly kept: PortableCall | undefined }
  | { readonly is: 'theirs'; readonly runnerId: string }
  | { readonly is: 'over'; readonly reason: EndReason };

export interface CallDirectoryEvents {
  /** Another runner has the call now. */
  lost: [id: CallId];
}

export interface CallDirectoryOptions {
  readonly redis: RedisLink;
  /** Of this runner. */
  readonly ownId: string;
  /** Name of this machine, for people. */
  readonly machine?: string;
  /** Longest that any call may last, in milliseconds. */
  readonly maxCallMs: number;
}

/** One of our calls, as it was told last. */
interface OwnCall {
  epoch: number;
  kept: (() => PortableCall | undefined) | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** A call that is over and that Redis has not been told of. */
interface Untold {
  readonly epoch: number;
  readonly record: CallRecord;
  /** It will not change any more. */
  readonly isSettled: boolean;
}

/** In place of the epoch of a call of ours that Redis has been told of. */
const TOLD = 0;

/**
 * Which runner of a cluster has which call, and what another one needs to go on with it. A call has one owner at a time: a runner that
 * takes it over raises its epoch, and what the former owner writes from then on is refused, which it learns by `lost`.
 */
export class CallDirectory extends EventEmitter<CallDirectoryEvents> {
  readonly #own = new Map<CallId, OwnCall>();
  readonly #untold = new Map<CallId, Untold>();

  constructor(private readonly options: CallDirectoryOptions) {
    super();
    options.redis.on('up', () => void this.#tellAll());
  }

  /**
   * Whose the call is: `owner`'s, if no runner has it.
   * @param providerCallId what the provider calls it
   * @param owner default: this runner
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async claim(
    id: CallId,
    providerCallId: string = id,
    owner = this.options.ownId,
  ): Promise<Claim & { readonly id: CallId }> {
    const { redis, ownId } = this.options;
    const keys = [this.#call(id), this.#over(id), this.#named(providerCallId), this.#owned(owner)];
    const [is, what = '', ...left] = (await redis.script(CLAIM, keys, [owner, id, this.#keptMs])) as string[];
    if (is === 'alias') return this.claim(asCallId(what), what, owner);
    if (is === 'over') return { is, id, reason: what as EndReason };
    if (is === 'theirs') return { is, id, runnerId: what };
    if (owner !== ownId) return { is: 'theirs', id, runnerId: owner };
    this.own(id, Number(what));
    return { is: 'ours', id, kept: keptIn(left) };
  }

  /** The call is ours from now on, whatever was before. @param epoch higher than that of its former owner */
  own(id: CallId, epoch: number): void {
    const known = this.#own.get(id);
    if (known) known.epoch = epoch;
    else this.#own.set(id, { epoch, kept: undefined, timer: undefined });
  }

  /** Of a call of ours. */
  epochOf(id: CallId): number {
    return this.#own.get(id)?.epoch ?? 1;
  }

  /**
   * Which runner has the call; undefined when none has.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async ownerOf(id: CallId): Promise<string | undefined> {
    const owner = await this.options.redis.run((client) => client.hget(this.#call(id), 'owner'));
    return owner ?? undefined;
  }

  /** What is known of a call, whichever runner has it. */
  async kept(id: CallId): Promise<PortableCall | undefined> {
    return keptIn(await this.options.redis.run((client) => client.hmget(this.#call(id), 'life', 'record')));
  }

  /** Why a call is over that was one of this cluster lately; undefined while it is not. */
  async endOf(id: CallId): Promise<EndReason | undefined> {
    return ((await this.options.redis.run((client) => client.get(this.#over(id)))) as EndReason | null) ?? undefined;
  }

  /**
   * Takes a call over from another runner.
   * @returns what is known of it; `theirs` when another runner was faster
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async take(
    id: CallId,
    from: string,
  ): Promise<
    | { readonly is: 'ours'; readonly kept: PortableCall | undefined }
    | { readonly is: 'theirs'; readonly runnerId: string | undefined }
  > {
    const { redis, ownId } = this.options;
    const keys = [this.#call(id), this.#owned(ownId), this.#owned(from)];
    const answer = await redis.script(TAKE, keys, [ownId, from, id, this.#keptMs]);
    const [owner, epoch, ...left] = answer as [string, number, ...string[]];
    if (owner !== ownId) return { is: 'theirs', runnerId: owner || undefined };
    if (epoch !== undefined) this.own(id, epoch);
    return { is: 'ours', kept: keptIn(left) };
  }

  /** A call of ours has changed. @param kept how it is when it is written down; undefined when it is over by then */
  changed(id: CallId, kept: () => PortableCall | undefined): void {
    const own = this.#own.get(id) ?? { epoch: 1, kept, timer: undefined };
    own.kept = kept;
    this.#own.set(id, own);
    own.timer ??= setTimeout(() => void this.flush(id).catch(() => {}), GATHER_MS);
  }

  /**
   * Writes down now how a call of ours is.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async flush(id: CallId): Promise<void> {
    const own = this.#own.get(id);
    if (!own) return;
    clearTimeout(own.timer);
    own.timer = undefined;
    const kept = own.kept?.();
    if (!kept) return;
    const { redis, ownId } = this.options;
    const { record, life } = kept;
    const alias = record.providerCallId !== undefined && record.providerCallId !== String(id);
    const named = alias ? this.#named(record.providerCallId) : this.#call(id);
    const keys = [this.#call(id), this.#owned(ownId), named, this.#over(id)];
    const args = [ownId, own.epoch, JSON.stringify(record), JSON.stringify(life), id, this.#keptMs];
    const isSaved = await redis.script(SAVE, keys, args);
    if (isSaved === 0 && this.#own.get(id) === own) this.#lose(id);
  }

  /** A call of ours is over. */
  finished(record: CallRecord): void {
    const { id } = record;
    const own = this.#own.get(id);
    if (!own) return;
    this.forget(id);
    this.#tell(record, { epoch: own.epoch, isSettled: false });
  }

  /** More is known of a call of ours that is over. @param isSettled that is all: of what it has cost, too */
  amended(record: CallRecord, isSettled = false): void {
    const { epoch, isSettled: was } = this.#untold.get(record.id) ?? { epoch: TOLD, isSettled: false };
    this.#tell(record, { epoch, isSettled: isSettled || was });
  }

  /** Whether all is known of a call that is over. @throws VoicebotError VB_CLUSTER_UNREACHABLE */
  async isSettled(id: CallId): Promise<boolean> {
    return (await this.options.redis.run((client) => client.exists(this.#settled(id)))) === 1;
  }

  #tell(record: CallRecord, how: Omit<Untold, 'record'>): void {
    this.#untold.set(record.id, { record, ...how });
    void this.#tellOver(record.id).catch(() => {}); // told when Redis is back
  }

  /** What was claimed has not become a call. */
  async drop(id: CallId): Promise<void> {
    const own = this.#own.get(id);
    this.forget(id);
    if (own) await this.#finish(id, own.epoch, '', '', false);
  }

  /** Another runner has the call now, and knows it. */
  async disown(id: CallId): Promise<void> {
    this.forget(id);
    const { redis, ownId } = this.options;
    await redis.run((client) => client.srem(this.#owned(ownId), id)).catch(() => {}); // it only is looked at once more
  }

  /** Another runner has the call, or it has been told of. */
  forget(id: CallId): void {
    clearTimeout(this.#own.get(id)?.timer);
    this.#own.delete(id);
  }

  /** The calls that a runner had or has. */
  async callsOf(runnerId: string): Promise<CallId[]> {
    const { redis } = this.options;
    return (await redis.run((client) => client.smembers(this.#owned(runnerId)))).map(asCallId);
  }

  /** The records of the live calls of runners, and of calls that are over, the newest first. */
  async records(
    runnerIds: readonly string[],
  ): Promise<{ live: ReadonlyMap<string, CallRecord[]>; over: PlacedCall[] }> {
    const { redis } = this.options;
    const recordsOf = async (runnerId: string) => {
      const ids = await this.callsOf(runnerId);
      const texts = await redis.run((client) => Promise.all(ids.map((id) => client.hget(this.#call(id), 'record'))));
      const records = texts.flatMap((text) => (text ? [JSON.parse(text) as CallRecord] : []));
      return [runnerId, records] as const;
    };
    const live = new Map(await Promise.all(runnerIds.map(recordsOf)));
    const over = await redis.run((client) => client.lrange(redis.key('over'), 0, LISTED));
    return { live, over: over.map((text) => JSON.parse(text)) };
  }

  /** The record of one call, live or over lately, with its runner. */
  async record(id: CallId): Promise<PlacedCall | undefined> {
    const { redis } = this.options;
    const [text, owner] = await redis.run((client) => client.hmget(this.#call(id), 'record', 'owner'));
    if (text && owner) return { ...JSON.parse(text), runner: owner };
    const over = await redis.run((client) => client.get(this.#ended(id)));
    return over ? JSON.parse(over) : undefined;
  }

  close(): void {
    for (const id of [...this.#own.keys()]) this.forget(id);
    this.removeAllListeners();
  }

  /** What this runner has is written down again, whatever Redis has forgotten: or it learns that others have it now. */
  async #tellAll(): Promise<void> {
    const told = [...this.#own.keys()].map((id) => this.flush(id).catch(() => {}));
    const over = [...this.#untold.keys()].map((id) => this.#tellOver(id).catch(() => {}));
    await Promise.all([...told, ...over]);
  }

  async #tellOver(id: CallId): Promise<void> {
    const untold = this.#untold.get(id);
    if (!untold) return;
    const { epoch, record, isSettled } = untold;
    const { ownId: runner, machine } = this.options;
    const placed: PlacedCall = { ...record, runner, ...(machine !== undefined && { machine, pid: process.pid }) };
    await this.#finish(id, epoch, JSON.stringify(placed), record.endReason ?? 'telephony_error', isSettled);
    if (this.#untold.get(id) === untold) this.#untold.delete(id);
  }

  async #finish(id: CallId, epoch: number, record: string, why: string, isSettled: boolean): Promise<void> {
    const { redis, ownId } = this.options;
    const ended = [this.#over(id), redis.key('over'), this.#ended(id), this.#settled(id)];
    const args = [ownId, epoch, record, why, id, OVER_MS, LISTED - 1, ENDED_MS, Number(isSettled)];
    await redis.script(FINISH, [this.#call(id), this.#owned(ownId), ...ended], args);
  }

  /** Whether all calls that this runner has are still its own: those that are not are told as `lost`. */
  async check(): Promise<void> {
    await this.#tellAll();
  }

  #lose(id: CallId): void {
    void this.disown(id);
    this.emit('lost', id);
  }

  get #keptMs(): number {
    return this.options.maxCallMs + 60 * 60 * 1_000;
  }

  #call = (id: string) => this.options.redis.key('call', id);
  #over = (id: string) => this.options.redis.key('over', id);
  #ended = (id: string) => this.options.redis.key('ended', id);
  #settled = (id: string) => this.options.redis.key('settled', id);
  #named = (name: string) => this.options.redis.key('named', name);
  #owned = (runnerId: string) => this.options.redis.key('owned', runnerId);
}

function keptIn([life, record]: ReadonlyArray<string | null>): PortableCall | undefined {
  return life && record ? { life: JSON.parse(life), record: JSON.parse(record) } : undefined;
}
