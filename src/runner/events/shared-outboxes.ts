import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { Cluster } from '../../cluster/cluster.js';
import { NOBODY, type Owner } from '../../cluster/owner-register.js';
import type { Logger } from '../../logger.js';
import type { DeliveryClock } from './event-delivery.js';
import type { KeptEvent, OutboxFile, OutboxState } from './outbox-file.js';
import { inOrder, OutboxStore } from './outbox-store.js';

/** How often runners that are gone are looked for beside what the cluster tells of them, in milliseconds. */
const SWEEP_MS = 5_000;
/** Calls that are written at once: more in one moment would be answered too late. */
const AT_ONCE = 32;
/** How often somebody else may be quicker when the events of a call are taken. */
const TRIES = 5;

export interface SharedOutboxesOptions {
  readonly cluster: Cluster;
  readonly url: string;
  readonly clock: DeliveryClock;
  readonly logger: Logger;
  /** Its events are in Redis, or Redis is away: they can be delivered. */
  onReady(file: OutboxFile): void;
  /** Another runner delivers the events of this call. */
  onLost(callId: CallId, file: OutboxFile): void;
  /** What another runner has left is this one's. @returns where it is now */
  onTaken(callId: CallId, state: OutboxState): OutboxFile;
  /** What another runner has left has come into the file of a call. */
  onMerged(callId: CallId, file: OutboxFile): void;
}

/** The events of one call on this runner's disk, and what Redis knows of them. */
interface Shared {
  readonly callId: CallId;
  readonly file: OutboxFile;
  /** Not this runner's call: its runner is gone. */
  isCaretaker: boolean;
  term: number;
  /** Events that are in Redis, and those that have ever been. */
  readonly stored: Map<string, number>;
  readonly seen: Set<string>;
  record: CallRecord | undefined;
  told: number;
  /** There is something to write; `isWhole`: everything, since Redis may have lost what it knew. */
  isDirty: boolean;
  isWhole: boolean;
  /** A runner that is there has them. */
  isOthers: boolean;
  /** It is being given away: nothing more is delivered. */
  isLeaving: boolean;
  writing: Promise<void> | undefined;
}

/**
 * Keeps in Redis what the files of events hold, so that another runner goes on delivering when this one is gone, and takes over what
 * others have left. An event is delivered when Redis has it, so that whoever goes on knows it by the same identifier; while Redis is
 * away, at once. Two commands for each event: when it happens, and when it is accepted.
 */
export class SharedOutboxes {
  readonly #store: OutboxStore;
  readonly #calls = new Map<CallId, Shared>();
  readonly #queue = new Set<Shared>();
  /** Taken from runners that are gone, and not read yet. */
  readonly #taken = new Map<CallId, number>();
  #busy = 0;
  #cancelSweep = () => {};
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #isClosed = false;

  constructor(private readonly options: SharedOutboxesOptions) {
    const { cluster, url } = options;
    this.#store = new OutboxStore(cluster, url);
    cluster.redis.on('up', this.#writeAgain);
  }

  /** Redis can be asked whose the events of a call are. */
  get isUp(): boolean {
    return this.options.cluster.redis.isUp;
  }

  /** From now on Redis knows what is in the file. @param isCaretaker it was found with a runner that is gone */
  attach(callId: CallId, file: OutboxFile, isCaretaker: boolean): void {
    this.#add(callId, file, isCaretaker).isDirty = true;
    this.#changed(this.#calls.get(callId) as Shared);
  }

  /** The call itself is this runner's. */
  hold(callId: CallId): void {
    const shared = this.#calls.get(callId);
    if (!shared?.isCaretaker) return;
    shared.isCaretaker = false;
    this.#changed(shared);
  }

  /** What an earlier runner has left on this disk of a call whose events are here. @returns whether they are */
  merge(callId: CallId, found: OutboxFile): boolean {
    const shared = this.#calls.get(callId);
    if (!shared) return false;
    const { file } = shared;
    const mine = { record: file.record ?? found.record, told: [...file.types], events: keptIn(file) };
    const more = unknownTo(mine, keptIn(found), shared.seen);
    if (more.length > 0) this.#put(shared, { ...mine, events: inOrder([...mine.events, ...more]) });
    return true;
  }

  /** Takes up what runners that are gone have left, now and from time to time. */
  follow(): void {
    this.options.cluster.members.on('left', this.#look);
    this.#look();
  }

  /** Nobody delivers any more: takes up nothing from here on. */
  stopTaking(): void {
    this.#cancelSweep();
    this.options.cluster.members.off('left', this.#look);
    this.#isClosed = true;
  }

  /**
   * Gives the events of a call to whoever takes them over, this runner excepted: they are in Redis, and no longer here.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE; nothing has changed then
   */
  async handOver(callId: CallId): Promise<void> {
    const shared = this.#calls.get(callId);
    if (!shared) return;
    shared.isLeaving = true;
    shared.file.isBlocked = true;
    try {
      if (shared.isOthers) await this.takeOver(callId);
      do {
        while (shared.isDirty || shared.writing) await this.#write(shared);
        await this.#store.release(callId);
      } while (shared.isDirty && (await this.#takeBack(shared)));
    } catch (error) {
      shared.isLeaving = false;
      this.#unblock(shared);
      throw error;
    }
    this.#lose(shared);
  }

  /**
   * Makes the events of a call this runner's, whoever has them. Those of a call that Redis does not know begin as those of any call.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async takeOver(callId: CallId): Promise<void> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const [owner] = await this.#store.register.ownersOf([callId]);
      if (!owner) return;
      const isOwn = owner.runnerId === this.options.cluster.members.ownId;
      if (isOwn && this.#calls.has(callId)) return this.hold(callId);
      const [term = 0] = await this.#claim(callId, owner, false);
      if (term === 0) continue;
      await this.#receive(callId, term);
      this.hold(callId);
      return;
    }
  }

  /** Something has happened while it was given away. @returns whether nobody has taken it yet */
  async #takeBack(shared: Shared): Promise<boolean> {
    const [term = 0] = await this.#claim(shared.callId, { runnerId: NOBODY, isCaretaker: false }, false);
    if (term > 0) shared.term = term;
    return term > 0;
  }

  /** Resolves when everything is written, or cannot be at the moment. */
  async written(): Promise<void> {
    await this.#looking;
    for (;;) {
      const [writing] = [...this.#calls.values()].flatMap((shared) => shared.writing ?? []);
      if (!writing) return;
      await writing.catch(() => {});
    }
  }

  /** Writes what is left to write and lets go of the cluster. */
  async close(): Promise<void> {
    this.stopTaking();
    this.options.cluster.redis.off('up', this.#writeAgain);
    await this.written();
    for (const { file } of this.#calls.values()) file.onChange = () => {};
    this.#calls.clear();
    this.#queue.clear();
  }

  #add(callId: CallId, file: OutboxFile, isCaretaker: boolean): Shared {
    const shared: Shared = {
      callId,
      file,
      isCaretaker,
      term: 0,
      stored: new Map(),
      seen: new Set(),
      record: undefined,
      told: 0,
      isDirty: false,
      isWhole: false,
      isOthers: false,
      isLeaving: false,
      writing: undefined,
    };
    this.#calls.set(callId, shared);
    file.onChange = () => this.#changed(shared);
    return shared;
  }

  #changed(shared: Shared): void {
    if (this.#calls.get(shared.callId) !== shared) return;
    shared.isDirty = true;
    if (this.isUp && shared.file.ids.some((id) => !shared.stored.has(id))) shared.file.isBlocked = true;
    this.#enqueue(shared);
  }

  #enqueue(shared: Shared): void {
    if (shared.writing || shared.isLeaving) return; // whoever writes looks again
    this.#queue.add(shared);
    this.#go();
  }

  #go(): void {
    for (const shared of this.#queue) {
      if (this.#busy >= AT_ONCE) return;
      this.#queue.delete(shared);
      this.#busy += 1;
      const done = () => {
        this.#busy -= 1;
        this.#go();
      };
      this.#write(shared).then(done, done);
    }
  }

  /** @throws when Redis is away, or refuses; the events are delivered all the same */
  #write(shared: Shared): Promise<void> {
    this.#queue.delete(shared);
    shared.writing ??= this.#writeAll(shared);
    return shared.writing;
  }

  async #writeAll(shared: Shared): Promise<void> {
    try {
      await Promise.resolve(); // what changes together travels together
      while (shared.isDirty && this.#isHere(shared)) {
        shared.isDirty = false;
        if (shared.file.isDone) await this.#remove(shared);
        else await this.#writeOnce(shared);
      }
    } catch (error) {
      shared.isDirty = true; // it is tried again when Redis is back, or with the next sweep
      if (this.isUp) this.options.logger.warn('events could not be written to the Redis of the cluster', { error });
      throw error;
    } finally {
      shared.writing = undefined;
      this.#unblock(shared);
    }
  }

  #isHere(shared: Shared): boolean {
    return this.#calls.get(shared.callId) === shared;
  }

  /** Everything is in Redis, or Redis is away. */
  #unblock(shared: Shared): void {
    if (shared.isOthers || shared.isLeaving || !this.#isHere(shared)) return;
    shared.file.isBlocked = false;
    this.options.onReady(shared.file);
  }

  async #remove(shared: Shared): Promise<void> {
    await this.#store.remove(shared.callId, shared.term);
    if (this.#isHere(shared)) this.#calls.delete(shared.callId);
  }

  async #writeOnce(shared: Shared): Promise<void> {
    const { callId, file, stored, isCaretaker, term } = shared;
    const isWhole = shared.isWhole || term === 0;
    const waiting = new Set(file.ids);
    let place = Math.max(0, ...stored.values());
    const added = [...waiting].flatMap((id) => {
      if (stored.has(id) && !isWhole) return [];
      const kept = file.read(id);
      if (!kept) return []; // somebody has removed or cut off the file
      if (!stored.has(id)) place += 1;
      return [[stored.get(id) ?? place, kept] as const];
    });
    const { record } = file;
    const told = [...file.types];
    const accepted = [...stored.keys()].filter((id) => !waiting.has(id));
    shared.isWhole = false;
    try {
      const answer = await this.#store.write(callId, {
        isCaretaker,
        term,
        record: isWhole || record !== shared.record ? record : undefined,
        told: isWhole || told.length !== shared.told ? told : undefined,
        added,
        accepted,
      });
      if (!this.#isHere(shared)) return;
      if (answer.is === 'changed') await this.#receive(callId, answer.term);
      else if (answer.is === 'others') await this.#contend(shared, answer.owner);
      else if (answer.is === 'done') this.#lose(shared);
      else {
        for (const [at, { id }] of added) this.#isStored(shared, id, at);
        for (const id of accepted) stored.delete(id);
        Object.assign(shared, { term: answer.term, record, told: told.length, isOthers: false });
      }
    } catch (error) {
      shared.isWhole ||= isWhole;
      throw error;
    }
  }

  #isStored({ stored, seen }: Shared, id: string, place: number): void {
    stored.set(id, place);
    seen.add(id);
  }

  /**
   * A caretaker gives way to the runner that has the call. Of two that have it, the one goes on that took it over last: a runner that was
   * away for a while learns here that its call has moved.
   */
  async #contend(shared: Shared, owner: Owner): Promise<void> {
    const { callId, isCaretaker, term } = shared;
    const isFree = this.#store.register.isGone(owner.runnerId) || (owner.isCaretaker && !isCaretaker);
    if (isFree) {
      const [claimed = 0] = await this.#claim(callId, owner, isCaretaker);
      if (claimed > 0) await this.#receive(callId, claimed);
      else shared.isDirty = true; // somebody was quicker
    } else if (isCaretaker || term > 0) this.#lose(shared);
    else {
      shared.isOthers = true; // its runner is about to give it away, or to leave
      shared.file.isBlocked = true;
    }
  }

  #claim(callId: CallId, { runnerId }: Owner, isCaretaker: boolean): Promise<number[]> {
    return this.#store.register.claim([{ id: callId, from: runnerId }], { isCaretaker });
  }

  /** What Redis knows of a call that is this runner's now. */
  async #receive(callId: CallId, term: number): Promise<void> {
    const state = await this.#store.read(callId);
    const here = this.#calls.get(callId);
    if (!here && !state) {
      await this.#store.remove(callId, 0);
      return;
    }
    const shared = here ?? this.#add(callId, this.options.onTaken(callId, state as OutboxState), true);
    shared.term = term;
    shared.isOthers = false;
    if (!state) return;
    const own = here ? keptIn(here.file) : [];
    const more = unknownTo(state, own, shared.seen);
    for (const [at, { id }] of state.events.entries()) this.#isStored(shared, id, at + 1);
    if (here) {
      const newest = here.isCaretaker ? (state.record ?? here.file.record) : (here.file.record ?? state.record);
      this.#put(here, { record: newest, told: state.told, events: inOrder([...state.events, ...more]) });
    } else {
      shared.record = state.record;
      shared.told = state.told.length;
      this.options.onReady(shared.file);
    }
  }

  #put(shared: Shared, state: OutboxState): void {
    shared.isWhole = true;
    shared.file.replace(state);
    this.options.onMerged(shared.callId, shared.file);
  }

  #lose(shared: Shared): void {
    this.#calls.delete(shared.callId);
    this.#queue.delete(shared);
    shared.file.onChange = () => {};
    this.options.onLost(shared.callId, shared.file);
  }

  readonly #look = (): void => {
    if (this.#isClosed) return;
    this.#isAsked = true;
    this.#looking ??= this.#lookAround().finally(() => {
      this.#looking = undefined;
      this.#cancelSweep();
      if (!this.#isClosed) this.#cancelSweep = this.options.clock.after(SWEEP_MS, this.#look);
    });
  };

  async #lookAround(): Promise<void> {
    try {
      while (this.#isAsked && this.isUp) {
        this.#isAsked = false;
        for (const shared of this.#calls.values()) if (shared.isDirty || shared.isOthers) this.#changed(shared);
        for (const { id, term } of await this.#store.register.take()) {
          if (this.#calls.get(id)?.term !== term) this.#taken.set(id, term);
          this.#isAsked = true; // there may be more
        }
        for (const [id, term] of this.#taken) {
          if (this.#isClosed) return;
          await this.#receive(id, term);
          this.#taken.delete(id);
        }
        await this.#giveWay();
      }
    } catch (error) {
      if (this.isUp)
        this.options.logger.warn('events that runners that are gone have left cannot be looked for', { error });
    }
  }

  /** What this runner takes care of may be at the runner that has the call by now. */
  async #giveWay(): Promise<void> {
    const cared = [...this.#calls.values()].filter(({ isCaretaker, term }) => isCaretaker && term > 0);
    const owners = await this.#store.register.ownersOf(cared.map(({ callId }) => callId));
    for (const [at, shared] of cared.entries()) {
      const { runnerId } = owners[at] ?? {};
      const isMoved = runnerId !== undefined && runnerId !== this.options.cluster.members.ownId;
      if (isMoved && this.#isHere(shared) && shared.isCaretaker) this.#lose(shared);
    }
  }

  /** Redis may have lost what it knew. */
  readonly #writeAgain = (): void => {
    for (const shared of this.#calls.values()) {
      shared.isWhole = true;
      this.#changed(shared);
    }
    this.#look();
  };
}

const keptIn = (file: OutboxFile): KeptEvent[] => file.ids.flatMap((id) => file.read(id) ?? []);

/** Those that are told neither there nor yet; one that Redis has had and has no more, its owner has delivered. */
function unknownTo(state: OutboxState, events: readonly KeptEvent[], seen: ReadonlySet<string>): KeptEvent[] {
  const there = new Set(state.events.map(({ id }) => id));
  return events.filter(({ id, event: { type } }) => {
    const isToldOnce = type !== 'turn.ended' && state.told.includes(type);
    return !there.has(id) && !seen.has(id) && !isToldOnce;
  });
}
