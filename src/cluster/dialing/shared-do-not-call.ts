import { pause } from '../../base/async/pause.js';
import { VoicebotError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import {
  type DoNotCallList,
  listedError,
  type NumberToList,
} from '../../runner/dialing/do-not-call/do-not-call-list.js';
import { isTakenOff, type ListChange, readChange } from '../../runner/dialing/do-not-call/list-change.js';
import { DoNotCallFile } from '../../runner/dialing/do-not-call/list-file.js';
import type { Cluster } from '../members/cluster.js';
import { RewrittenState, rewrittenScript } from '../members/rewritten-state.js';
import { ListInRedis, type ListPlace } from './list-in-redis.js';

/** Pause between two looks for what other runners have put on the list, in milliseconds. */
const LOOK_EVERY_MS = 200;
/** How long all other runners are waited for to have a number on their disks, in milliseconds; then one of them is enough. */
const ALL_COPIED_LIMIT_MS = 3_000;
/** How long one of them is, in milliseconds: less than a bot waits. */
const COPIED_LIMIT_MS = 10_000;
/** Pause between two looks whether they have, in milliseconds. */
const COPIED_EVERY_MS = 40;
/**
 * How old what Redis has said may be when a runner dials, in milliseconds: one that stood still asks again. Shorter than it takes until a runner
 * that stands still is waited for no more.
 */
const FRESH_MS = 1_000;

const CHECK = rewrittenScript(`return redis.call('HGET', KEYS[3], ARGV[5]) or ''`);

const NOWHERE: ListPlace = { epoch: '', count: 0 };

export interface SharedDoNotCallOptions {
  readonly cluster: Cluster;
  /** Of the file of this machine. */
  readonly path: string;
  readonly logger?: Pick<Logger, 'error'> | undefined;
  /** As for `RewrittenState`. */
  readonly rewriteMs?: number | undefined;
}

/**
 * The list of a runner of a cluster: in Redis, which all of them ask before they dial, and in the file of each machine. A number that was asked for is on
 * a second disk before that is confirmed, where there is another runner, so that an emptied Redis and a lost machine together do not forget it.
 */
export class SharedDoNotCall implements DoNotCallList {
  readonly file: DoNotCallFile;
  readonly #inRedis: ListInRedis;
  readonly #state: RewrittenState;
  readonly #closing = new AbortController();
  readonly #looking: Promise<void>;
  /** What other processes of this machine have written, and Redis has not been told. */
  #untold: ListChange[] = [];
  /** Up to where the file has what Redis knows. */
  #place = NOWHERE;
  #hasFailed = false;

  constructor(private readonly options: SharedDoNotCallOptions) {
    const { cluster, path, rewriteMs } = options;
    this.#inRedis = new ListInRedis(cluster.redis);
    this.file = new DoNotCallFile(path, (changes) => {
      for (const change of changes) this.#untold.push(change); // too many to be arguments
    });
    this.#state = new RewrittenState({ cluster, name: 'do-not-call', write: () => this.#write(), rewriteMs });
    this.#looking = this.#look();
  }

  refuse(number: string): void {
    const entry = this.file.get(number);
    if (entry) throw listedError(entry);
  }

  async check(number: string): Promise<void> {
    this.refuse(number);
    let line = '';
    for (let askedAt = Number.NEGATIVE_INFINITY; performance.now() - askedAt > FRESH_MS; ) {
      askedAt = performance.now();
      line = String(await this.#state.script(CHECK, [this.#inRedis.changesKey], [number]));
    }
    const change = readChange(line);
    if (!change || isTakenOff(change)) return;
    // an operator may have taken it off on this machine a moment ago
    await this.file.merge([change]);
    this.refuse(number);
  }

  async add(asked: NumberToList): Promise<void> {
    await this.file.add([asked]);
    const change = this.file.get(asked.number);
    if (!change) return;
    try {
      await this.#share([change]);
    } catch (error) {
      this.#untold.push(change); // the others learn it all the same
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looking;
    this.#state.close();
  }

  /**
   * Resolves when every runner that is there has these on its disk, or, after a while, one other has.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE, also where none of the others writes it down
   */
  async #share(changes: readonly ListChange[]): Promise<void> {
    const { members } = this.options.cluster;
    const startedAt = performance.now();
    let place = await this.#inRedis.merge(changes);
    for (;;) {
      const waitedMs = performance.now() - startedAt;
      try {
        const { epoch, runners } = await this.#inRedis.seen();
        if (epoch === place.epoch) {
          const { others } = members;
          const copies = others.filter(({ id }) => (runners.get(id) ?? -1) >= place.count).length;
          if (copies === others.length || (copies > 0 && waitedMs > ALL_COPIED_LIMIT_MS)) return;
        } else place = await this.#inRedis.merge(changes); // Redis has been emptied since
      } catch (error) {
        if (waitedMs > COPIED_LIMIT_MS) throw error; // it may be back, and the number may be on another disk
      }
      if (waitedMs > COPIED_LIMIT_MS || this.#closing.signal.aborted) throw onOneDisk();
      await pause(COPIED_EVERY_MS);
    }
  }

  /** Redis may have lost what it knew: it is told everything, and everything is taken from it. */
  async #write(): Promise<void> {
    this.#place = NOWHERE;
    const all = this.file.changes();
    this.#untold = []; // they are among all; what is learnt from here on is not
    await this.#inRedis.merge(all);
  }

  async #look(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#state.written;
        await this.#exchange();
        this.#hasFailed = false;
      } catch (error) {
        const isAway = error instanceof VoicebotError && error.code === 'VB_CLUSTER_UNREACHABLE';
        if (!isAway && !this.#hasFailed)
          this.options.logger?.error('the do-not-call list is not shared with the other runners', { error });
        this.#hasFailed ||= !isAway;
      }
      await pause(LOOK_EVERY_MS, signal).catch(() => {});
    }
  }

  /** Tells what this machine has learnt, and takes what the others have. */
  async #exchange(): Promise<void> {
    void this.file.size; // another process may have written: it is looked at
    const own = this.#untold.splice(0);
    try {
      if (own.length > 0) await this.#inRedis.merge(own);
    } catch (error) {
      this.#untold = [...own, ...this.#untold];
      throw error;
    }
    for (;;) {
      const after = this.#place;
      const { place, changes } = await this.#inRedis.pull(after, this.options.cluster.members.ownId);
      if (place.epoch !== after.epoch) {
        this.#place = { epoch: place.epoch, count: 0 };
        if (place.epoch === '') return;
        continue;
      }
      if (changes.length === 0) return;
      await this.file.merge(changes);
      if (this.#place === after) this.#place = place; // or else it begins anew: Redis has lost something meanwhile
    }
  }
}

const onOneDisk = (): VoicebotError =>
  new VoicebotError(
    'VB_CLUSTER_UNREACHABLE',
    'no other runner has written the number down: it is on the list of this one',
    {
      hint: 'look at the log of the other runners: can they write to their disks?',
    },
  );
