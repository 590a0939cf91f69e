import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import type { RedisLink, RedisScript } from '../redis/redis-link.js';
import type { Cluster } from './cluster.js';

/** How long no runner goes by what Redis says after it was started: the runners write again what it has lost. Milliseconds. */
const REWRITE_MS = 2_000;
/** Pause between two looks whether Redis has lost what it knew, in milliseconds: shorter than {@link REWRITE_MS}. */
const LOOK_EVERY_MS = 1_000;
/** How long after the first of them the others may take to write again, in milliseconds: it may be much. */
const ALL_REWRITE_MS = 60_000;
/** A runner that has asked for nothing for so long is waited for no more, in milliseconds. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1_000;

/**
 * Goes on only where Redis has what all runners know: since it was started, each of those that are there, and that this runner has met, has
 * written what it knows, and those that are not known to be there had the time to.
 */
const BEGINNING = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local generation = redis.call('GET', KEYS[1])
if generation ~= ARGV[1] then return { 'lost' } end
local age = now - tonumber(string.match(generation, '^%d+'))
if age >= 0 and age < tonumber(ARGV[3]) then return { 'young', tonumber(ARGV[3]) - age } end
for id in string.gmatch(ARGV[4], '%S+') do
  if not redis.call('ZSCORE', KEYS[2], id) then return { 'awaited' } end
end
redis.call('ZADD', KEYS[2], now, ARGV[2])
`;

/** What follows {@link BEGINNING}; the keys of a script are there from `KEYS[3]` on, its arguments from `ARGV[5]` on. */
const ENDING = `return { 'done', work(), redis.call('ZRANGE', KEYS[2], 0, -1) }`;

/** A runner has written what it knows. Answers the generation, who has written in it, and its age in milliseconds. */
const WRITTEN: RedisScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local generation = redis.call('GET', KEYS[1])
if not generation or string.match(generation, ':(.*)$') ~= ARGV[2] then
  generation = string.format('%.0f:%s', now, ARGV[2])
  redis.call('SET', KEYS[1], generation)
  redis.call('DEL', KEYS[2])
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[3]))
redis.call('ZADD', KEYS[2], now, ARGV[1])
return { generation, redis.call('ZRANGE', KEYS[2], 0, -1), now - tonumber(string.match(generation, '^%d+')) }
`;

/**
 * A script for {@link RewrittenState.script}.
 * @param work body of a Lua function that returns anything but nil or false; `now` is Redis's clock in milliseconds, `KEYS` begin
 *   with 3 and `ARGV` with 5
 */
export const rewrittenScript = (work: string): RedisScript =>
  `${BEGINNING}\nlocal function work()\n${work}\nend\n${ENDING}`;

export interface RewrittenStateOptions {
  readonly cluster: Cluster;
  /** What tells it apart from others in this cluster. */
  readonly name: string;
  /** Writes what this runner knows; called whenever Redis may have lost it, never twice at the same time. */
  readonly write: () => Promise<unknown>;
  /** For how long no runner goes by what Redis says after it was started, in milliseconds. Default {@link REWRITE_MS} */
  readonly rewriteMs?: number | undefined;
}

type Answer = ['lost'] | ['young', number] | ['awaited'] | ['done', unknown, string[]];

/**
 * What the runners of a cluster have in Redis, and each of them in its own memory too. A Redis that was started again may have
 * lost all of it, or the last second: each runner writes its own again then, and no script counts on Redis before they have.
 */
export class RewrittenState {
  readonly #redis: RedisLink;
  readonly #keys: readonly [generation: string, written: string];
  readonly #asked = new Set<Promise<unknown>>();
  /** When a runner first wrote after Redis was started, and which run of it that was. Empty while this runner has to write. */
  #generation = '';
  /** The last one in which this runner has written. */
  #lastGeneration = '';
  /** The runners that have written in it. */
  #known: ReadonlySet<string> = new Set();
  /** Those that had written before Redis lost what it knew, and have not been seen to write again. */
  #awaited: ReadonlySet<string> = new Set();
  /** Until then each runner that is there is awaited, by `performance.now()`. */
  #allWriteUntil = 0;
  readonly #rewriteMs: number;
  readonly #looks: NodeJS.Timeout;
  #writing: Promise<void>;

  constructor(private readonly options: RewrittenStateOptions) {
    const { cluster, name, rewriteMs = REWRITE_MS } = options;
    this.#redis = cluster.redis;
    this.#rewriteMs = rewriteMs;
    this.#keys = [cluster.redis.key(name, 'generation'), cluster.redis.key(name, 'written')];
    this.#redis.on('up', this.#writeAgain);
    this.#looks = setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
    this.#writing = this.#write();
  }

  /** Resolves when what this runner knows is written, or could not be; never rejects. What changes it in Redis waits for that. */
  get written(): Promise<void> {
    return this.#writing;
  }

  /**
   * Has Redis carry out a script of {@link rewrittenScript}.
   * @returns what its function returns
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE, also while what Redis has lost is being written again
   */
  async script(script: RedisScript, keys: readonly string[], args: ReadonlyArray<string | number>): Promise<unknown> {
    await this.#writing;
    const { members } = this.options.cluster;
    const met = [...this.#awaited].filter((id) => members.isAlive(id));
    // a runner that was started a moment ago has met none
    const there = performance.now() < this.#allWriteUntil ? members.others.map(({ id }) => id) : [];
    const own = [this.#generation, members.ownId, this.#rewriteMs, [...met, ...there].join(' ')];
    const asked = this.#redis.script(script, [...this.#keys, ...keys], [...own, ...args]).catch(asUnreachable);
    const [verdict, payload, written] = (await this.#noted(asked)) as Answer;
    if (verdict === 'lost') this.#writeAgain();
    if (verdict === 'young') throw notYet('it was started a moment ago', payload as number);
    if (verdict !== 'done') throw notYet('it has lost what it knew', this.#rewriteMs);
    this.#known = new Set(written);
    this.#awaited = new Set();
    return payload;
  }

  /** Writes nothing again from now on. */
  close(): void {
    this.#redis.off('up', this.#writeAgain);
    clearInterval(this.#looks);
  }

  readonly #writeAgain = (): void => {
    this.#writing = this.#writing.then(() => this.#write());
  };

  /** Redis may have been emptied as it ran. Others wait for this runner then, which may have nothing else to ask it. */
  async #look(): Promise<void> {
    await this.#writing;
    if (!this.#redis.isUp) return;
    try {
      const generation = await this.#redis.run((redis) => redis.get(this.#keys[0]));
      if (generation !== this.#generation) this.#writeAgain();
    } catch {
      // it is away: `up` follows
    }
  }

  async #write(): Promise<void> {
    this.#generation = '';
    const { ownId } = this.options.cluster.members;
    try {
      const run = await this.#run();
      await Promise.allSettled(this.#asked);
      await turnOfEvents(); // the code that has asked knows by now what came of it, which is to be written too
      await this.options.write();
      const answer = await this.#redis.script(WRITTEN, this.#keys, [ownId, run, FORGOTTEN_MS]);
      const [generation, written, ageMs] = answer as [string, string[], number];
      if (generation !== this.#lastGeneration) {
        this.#awaited = new Set([...this.#known, ...this.#awaited].filter((id) => id !== ownId));
      }
      this.#allWriteUntil = performance.now() + ALL_REWRITE_MS - ageMs;
      this.#known = new Set(written);
      this.#generation = this.#lastGeneration = generation;
    } catch {
      // Redis is away, or refuses. It is written when Redis is back, or before it is asked the next time.
    }
  }

  /** Another one each time that Redis starts: it may have lost the last of what it was told. */
  async #run(): Promise<string> {
    const about = await this.#redis
      .run((redis) => redis.info('server'))
      .catch((error: unknown) => {
        if (error instanceof VoicebotError) throw error;
        return ''; // not every user may ask this; a Redis that has lost everything shows all the same
      });
    return /^run_id:(\w+)/m.exec(about)?.[1] ?? 'unknown';
  }

  async #noted<T>(asked: Promise<T>): Promise<T> {
    this.#asked.add(asked);
    try {
      return await asked;
    } finally {
      this.#asked.delete(asked);
    }
  }
}

const notYet = (why: string, waitMs: number): VoicebotError =>
  new VoicebotError('VB_CLUSTER_UNREACHABLE', `${why}, and not all runners have written again what counts`, {
    hint: `try again in ${Math.max(1, Math.ceil(waitMs / 1_000))} s`,
  });

/** Also one that refuses, such as for want of memory, is of no use. */
function asUnreachable(error: unknown): never {
  if (error instanceof VoicebotError) throw error;
  throw new VoicebotError('VB_CLUSTER_UNREACHABLE', `it refuses: ${(error as Error).message}`, { cause: error });
}
