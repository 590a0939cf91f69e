import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { CallId } from '../../call/call-id.js';
import type { DeliveryClock } from '../../runner/events/event-delivery.js';
import type { OutboxFile, OutboxState } from '../../runner/events/outbox-file.js';
import type { Cluster } from '../members/cluster.js';
import { GoneWatch } from '../members/gone-watch.js';
import { NOBODY, type Owner } from '../members/owner-register.js';
import { OutboxStore } from './outbox-store.js';
import { SharedOutbox } from './shared-outbox.js';

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
  onTaken(state: OutboxState): OutboxFile;
  /** What another runner has left has come into the file of a call. */
  onMerged(callId: CallId, file: OutboxFile): void;
}

/**
 * Keeps in Redis what the files of events hold, so that another runner goes on delivering when this one is gone, and takes over what
 * others have left. An event is delivered when Redis has it, so that whoever goes on knows it by the same identifier; while Redis is
 * away, at once. Two commands for each event: when it happens, and when it is accepted.
 */
export class SharedOutboxes {
  readonly #store: OutboxStore;
  readonly #calls = new Map<CallId, SharedOutbox>();
  readonly #queue = new Set<SharedOutbox>();
  /** Taken from runners that are gone, and not read yet. */
  readonly #taken = new Map<CallId, number>();
  readonly #gone: GoneWatch;
  #busy = 0;

  constructor(private readonly options: SharedOutboxesOptions) {
    const { cluster, url, clock } = options;
    this.#store = new OutboxStore(cluster, url);
    this.#gone = new GoneWatch({ cluster, look: () => this.#look(), after: (ms, run) => clock.after(ms, run) });
    cluster.redis.on('up', this.#writeAgain);
  }

  /** Redis can be asked whose the events of a call are. */
  get isUp(): boolean {
    return this.options.cluster.redis.isUp;
  }

  /** From now on Redis knows what is in the file. @param isCaretaker it was found with a runner that is gone */
  attach(callId: CallId, file: OutboxFile, isCaretaker: boolean): void {
    const shared = new SharedOutbox(callId, file, isCaretaker);
    this.#add(shared);
    this.#changed(shared);
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
    shared.include(found);
    this.options.onMerged(callId, shared.file);
    return true;
  }

  /** Takes up what runners that are gone have left, now and from time to time. */
  follow(): void {
    this.#gone.start();
  }

  /** Nobody delivers any more: takes up nothing from here on. */
  stopTaking(): void {
    this.#gone.stop();
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
  async #takeBack(shared: SharedOutbox): Promise<boolean> {
    const [term = 0] = await this.#claim(shared.callId, { runnerId: NOBODY, isCaretaker: false }, false);
    if (term > 0) shared.term = term;
    return term > 0;
  }

  /** Resolves when everything is written, or cannot be at the moment. */
  async written(): Promise<void> {
    await this.#gone.idle();
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

  #add(shared: SharedOutbox): void {
    this.#calls.set(shared.callId, shared);
    shared.file.onChange = () => this.#changed(shared);
  }

  #changed(shared: SharedOutbox): void {
    if (this.#calls.get(shared.callId) !== shared) return;
    shared.isDirty = true;
    if (this.isUp && shared.hasNews) shared.file.isBlocked = true;
    this.#enqueue(shared);
  }

  #enqueue(shared: SharedOutbox): void {
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
  #write(shared: SharedOutbox): Promise<void> {
    this.#queue.delete(shared);
    shared.writing ??= this.#writeAll(shared);
    return shared.writing;
  }

  async #writeAll(shared: SharedOutbox): Promise<void> {
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

  #isHere(shared: SharedOutbox): boolean {
    return this.#calls.get(shared.callId) === shared;
  }

  /** Everything is in Redis, or Redis is away. */
  #unblock(shared: SharedOutbox): void {
    if (shared.isOthers || shared.isLeaving || !this.#isHere(shared)) return;
    shared.file.isBlocked = false;
    this.options.onReady(shared.file);
  }

  async #remove(shared: SharedOutbox): Promise<void> {
    await this.#store.remove(shared.callId, shared.term);
    if (this.#isHere(shared)) this.#calls.delete(shared.callId);
  }

  async #writeOnce(shared: SharedOutbox): Promise<void> {
    const { callId, isWhole } = shared;
    const change = shared.change();
    shared.isWhole = false;
    try {
      const answer = await this.#store.write(callId, change);
      if (!this.#isHere(shared)) return;
      if (answer.is === 'ours') shared.written(change, answer.term);
      else if (answer.is === 'changed') await this.#receive(callId, answer.term);
      else if (answer.is === 'others') await this.#contend(shared, answer.owner);
      else this.#lose(shared);
    } catch (error) {
      shared.isWhole ||= isWhole;
      throw error;
    }
  }

  /**
   * A caretaker gives way to the runner that has the call. Of two that have it, the one goes on that took it over last: a runner that was
   * away for a while learns here that its call has moved.
   */
  async #contend(shared: SharedOutbox, owner: Owner): Promise<void> {
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
    const shared = this.#calls.get(callId);
    if (shared) {
      shared.isOthers = false;
      shared.receive(state, term);
      this.options.onMerged(callId, shared.file);
    } else if (state) {
      const taken = SharedOutbox.stored(callId, this.options.onTaken(state), state, term);
      this.#add(taken);
      this.options.onReady(taken.file);
    } else await this.#store.remove(callId, 0);
  }

  #lose(shared: SharedOutbox): void {
    this.#calls.delete(shared.callId);
    this.#queue.delete(shared);
    shared.file.onChange = () => {};
    this.options.onLost(shared.callId, shared.file);
  }

  async #look(): Promise<void> {
    try {
      for (const shared of this.#calls.values()) if (shared.isDirty || shared.isOthers) this.#changed(shared);
      for (const { id, term } of await this.#store.register.take()) {
        if (this.#calls.get(id)?.term !== term) this.#taken.set(id, term);
      }
      if (this.#taken.size > 0) this.#gone.ask(); // there may be more
      for (const [id, term] of this.#taken) if (!this.#gone.isStopped) await this.#takeUp(id, term);
      await this.#giveWay();
    } catch (error) {
      if (this.isUp)
        this.options.logger.warn('events that runners that are gone have left cannot be looked for', { error });
    }
  }

  async #takeUp(callId: CallId, term: number): Promise<void> {
    try {
      await this.#receive(callId, term);
    } catch (error) {
      if (isAway(error)) throw error; // it is read when Redis is back
      this.options.logger.error('events that a runner that is gone has left cannot be read', { callId, error });
    }
    this.#taken.delete(callId);
  }

  /** What this runner takes care of may be at the runner that has the call by now. */
  async #giveWay(): Promise<void> {
    const cared = [...this.#calls.values()].filter(({ isCaretaker, term }) => isCaretaker && term > 0);
    const owners = await this.#store.register.ownersOf(cared.map(({ callId }) => callId));
    for (const [at, shared] of cared.entries()) {
      const { runnerId } = owners[at] ?? {};
      if (runnerId === this.options.cluster.members.ownId || !this.#isHere(shared) || !shared.isCaretaker) continue;
      if (runnerId !== undefined) this.#lose(shared);
      else this.#changed(shared); // it is delivered, which the answer to a change says, or Redis has lost it
    }
  }

  /** Redis may have lost what it knew. */
  readonly #writeAgain = (): void => {
    for (const shared of this.#calls.values()) {
      shared.isWhole = true;
      this.#changed(shared);
    }
    this.#gone.ask();
  };
}

const isAway = (error: unknown) => error instanceof VoicebotError && error.code === 'VB_CLUSTER_UNREACHABLE';
