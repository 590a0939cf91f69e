import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { VoicebotError } from '../../base/errors.js';
import { parseFields } from '../../base/http/json-fields.js';
import { isLoopbackHost } from '../../base/http/loopback-host.js';
import type { RunnerLoad } from '../../runner/coordination.js';
import type { RedisLink, RedisScript } from '../redis/redis-link.js';
import type { Members, MembersEvents } from './cluster.js';

/** How long a runner counts as there after it was heard of last, in milliseconds. */
export const LEASE_MS = 1_500;
/** How often each runner is heard of, in milliseconds. */
const BEAT_MS = 400;
/** How long after Redis has come back a runner that is missing there may take to be heard of again, in milliseconds. */
const BACK_MS = 3_000;
/** What has not been heard of for this long is forgotten, in milliseconds. */
const FORGOTTEN_MS = 60_000;

/** What stays the same of a runner while it runs. */
export interface MemberInfo {
  readonly id: string;
  /** Name of its machine, for people. */
  readonly machine: string;
  readonly pid: number;
  /** Of voicebot. */
  readonly version: string;
  /** Where the carrier reaches all of them, without a trailing slash: carriers sign the address. */
  readonly publicUrl?: string | undefined;
  /** Where the other runners reach it: `http:` or `https:`, without a trailing slash. */
  readonly peerUrl: string;
  /** Where the carrier reaches it and no other: `ws:` or `wss:`; undefined behind one address for all. */
  readonly advertise?: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
}

/** What changes. */
export interface MemberLoad extends RunnerLoad {
  /** How late its event loop was lately, in milliseconds. */
  readonly lateMs: number;
}

export type Member = MemberInfo & MemberLoad;

/**
 * KEYS: the runners by the end of their leases, and what they say of themselves. Answers whether this runner had been there without
 * a break, and for each: identifier, milliseconds that its lease has left, and what it says.
 */
const BEAT: RedisScript = `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local until_ = redis.call('ZSCORE', KEYS[1], ARGV[1])
    redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[4])) do
      redis.call('ZREM', KEYS[1], id)
      redis.call('HDEL', KEYS[2], id)
    end
    local answer = { (until_ and tonumber(until_) >= now) and 1 or 0 }
    local all = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
    for i = 1, #all, 2 do
      answer[#answer + 1] = all[i]
      answer[#answer + 1] = all[i + 1] - now
      answer[#answer + 1] = redis.call('HGET', KEYS[2], all[i]) or ''
    end
    return answer`;

/**
 * KEYS: as above, and how many have joined so far. ARGV: the runner, what it says of itself, how long its lease lasts, and how many had
 * joined when it looked at the others. Answers 0 when another runner has joined since.
 */
const JOIN: RedisScript = `
    if (redis.call('GET', KEYS[3]) or '0') ~= ARGV[4] then return 0 end
    redis.call('INCR', KEYS[3])
    local time = redis.call('TIME')
    redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3], ARGV[1])
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
    return 1`;

/** KEYS: as above. Answers how many have joined so far, and what those who are there say of themselves. */
const READ: RedisScript = `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local answer = { redis.call('GET', KEYS[3]) or '0' }
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf')) do
      answer[#answer + 1] = redis.call('HGET', KEYS[2], id) or ''
    end
    return answer`;

export interface ClusterMembersOptions {
  readonly redis: RedisLink;
  /** Of voicebot: all runners of a cluster have the same. */
  readonly version: string;
  /** Name of this machine. Default: what the system calls it. */
  readonly machine?: string;
}

/**
 * The runners that are there now, asked by one that has not joined.
 * @throws VoicebotError VB_CLUSTER_UNREACHABLE
 */
export async function readMembers(redis: RedisLink): Promise<Member[]> {
  return (await read(redis)).members;
}

/** Runners that are there no more, of which calls are looked for: the latest. */
const MOST_FORMER = 20;

/** The runners of a cluster, each with a lease in Redis that it renews; this one among them. */
export class ClusterMembers extends EventEmitter<MembersEvents> implements Members {
  readonly ownId = randomBytes(6).toString('hex');
  /** Name of this machine, for people. */
  readonly machine: string;
  readonly #others = new Map<string, Member>();
  /** Those that were there and have left. */
  readonly #gone = new Map<string, Member>();
  /** Those that had not left when their lease ran out, before this runner joined as well. */
  readonly #lost = new Map<string, Member>();
  #own: MemberInfo | undefined;
  #load: () => MemberLoad = () => ({ calls: 0, warm: 0, lateMs: 0, isDraining: true });
  #beating: NodeJS.Timeout | undefined;
  #beatAt = performance.now();
  /** No runner that is missing counts as gone before then, by `performance.now()`. */
  #patientUntil = 0;
  #isLeft = false;

  constructor(private readonly options: ClusterMembersOptions) {
    super();
    this.machine = options.machine ?? hostname();
    this.setMaxListeners(0);
    options.redis.on('up', () => {
      this.#patientUntil = performance.now() + BACK_MS;
      if (this.#beating) void this.#beat().catch(() => {});
    });
  }

  /** Whether the others know this runner. */
  get isJoined(): boolean {
    return this.#own !== undefined;
  }

  /** This runner; undefined before it has joined. */
  get own(): Member | undefined {
    return this.#own && { ...this.#own, ...this.#load() };
  }

  /** The other runners that are there. */
  get others(): Member[] {
    return [...this.#others.values()];
  }

  /** The runners that were there and are not, whose bots may still have calls. */
  get former(): Member[] {
    return [...new Map([...this.#lost, ...this.#gone]).values()]
      .filter(({ id }) => !this.isAlive(id))
      .slice(-MOST_FORMER);
  }

  /** A runner that is there, or was lately. */
  get(runnerId: string): Member | undefined {
    return runnerId === this.ownId ? this.own : (this.#others.get(runnerId) ?? this.#gone.get(runnerId));
  }

  /** The same, also of one that has joined a moment ago. */
  async find(runnerId: string): Promise<Member | undefined> {
    if (!this.get(runnerId)) await this.#beat().catch(() => {});
    return this.get(runnerId);
  }

  isAlive(runnerId: string): boolean {
    return runnerId === this.ownId || this.#others.has(runnerId);
  }

  /** Redis is back since a moment ago, and may not have been told again what the others have. */
  get isComingBack(): boolean {
    return performance.now() < this.#patientUntil;
  }

  /** Whether this process stood still for so long that the others may have taken its calls over. */
  get mayHaveLapsed(): boolean {
    return this.#own !== undefined && performance.now() - this.#beatAt > LEASE_MS;
  }

  /**
   * From now on it is known which runners are there, before this one is.
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async watch(): Promise<void> {
    await this.#beat();
    this.#beating = setInterval(() => void this.#beat().catch(() => {}), BEAT_MS);
  }

  /**
   * From now on this runner is there.
   * @throws VoicebotError VB_CLUSTER_UNSUITABLE when the others are of another version or have another public address, one of them has the same address, or they
   *   cannot reach this one; VB_CLUSTER_UNREACHABLE
   */
  async join(info: Pick<MemberInfo, 'peerUrl' | 'advertise' | 'publicUrl'>, load: () => MemberLoad): Promise<void> {
    const { version, redis } = this.options;
    const own = { ...info, id: this.ownId, machine: this.machine, pid: process.pid, version, startedAt: Date.now() };
    const args = [this.ownId, JSON.stringify({ ...own, ...load() }), LEASE_MS];
    for (let look = 0; ; ) {
      const { joins, members } = await read(redis);
      const problem = problemWith(own, members);
      if (!problem) {
        if ((await redis.script(JOIN, keysOf(redis), [...args, joins])) === 1) break;
        continue; // another runner has joined meanwhile
      }
      // One that was killed a moment ago still has its lease.
      if (look >= 2 || problem.isFinal) throw problem.error;
      look += 1;
      await delay(LEASE_MS / 2 + 100);
    }
    this.#own = own;
    this.#load = load;
    await this.#beat();
    this.#beating ??= setInterval(() => void this.#beat().catch(() => {}), BEAT_MS);
  }

  /** The others need not wait for the end of its lease. */
  async leave(): Promise<void> {
    if (this.#isLeft) return;
    this.#isLeft = true;
    clearInterval(this.#beating);
    if (!this.#own) return;
    this.#own = undefined;
    const { redis } = this.options;
    await redis.run((client) => client.zrem(redis.key('members'), this.ownId)).catch(() => {}); // its lease runs out
  }

  async #beat(): Promise<void> {
    const { redis } = this.options;
    if (!this.#own) {
      const { members } = await read(redis);
      if (!this.#isLeft) this.#hear(new Map(members.map((member) => [member.id, member])));
      return;
    }
    const text = JSON.stringify({ ...this.#own, ...this.#load() });
    const wasLate = performance.now() - this.#beatAt > LEASE_MS;
    try {
      const answer = await redis.script(BEAT, keysOf(redis), [this.ownId, text, LEASE_MS, FORGOTTEN_MS]);
      if (this.#own) this.#learn(answer as BeatAnswer);
    } finally {
      // While Redis is away no runner can take anything over; what stood still was not Redis.
      if (!wasLate || redis.isUp) this.#beatAt = performance.now();
    }
  }

  #learn([wasThere, ...answer]: BeatAnswer): void {
    const heard = new Map<string, Member>();
    for (let at = 0; at + 2 < answer.length; at += 3) {
      const [id, leftMs, text] = answer.slice(at, at + 3) as [string, number, string];
      const member = parseFields(text) as Member | undefined;
      if (id === this.ownId || !member) continue;
      if (leftMs > 0) heard.set(id, member);
      else this.#lost.set(id, member);
    }
    if (!wasThere && !this.isComingBack) this.emit('lapsed');
    this.#hear(heard);
  }

  /** @param heard the others that are there */
  #hear(heard: ReadonlyMap<string, Member>): void {
    const isPatient = this.isComingBack;
    const left = isPatient ? [] : [...this.#others.keys()].filter((id) => !heard.has(id));
    for (const id of left) {
      this.#gone.set(id, this.#others.get(id) as Member);
      this.#others.delete(id);
    }
    const joined = [...heard.keys()].filter((id) => !this.#others.has(id));
    for (const [id, member] of heard) {
      this.#others.set(id, member);
      this.#gone.delete(id);
    }
    for (const id of joined) this.emit('joined', id);
    for (const id of left) this.emit('left', id);
  }
}

type BeatAnswer = [wasThere: number, ...members: Array<string | number>];

const keysOf = (redis: RedisLink) => [redis.key('members'), redis.key('member-info'), redis.key('joins')];

async function read(redis: RedisLink): Promise<{ joins: string; members: Member[] }> {
  const [joins = '0', ...infos] = (await redis.script(READ, keysOf(redis))) as string[];
  return { joins, members: infos.flatMap((info) => (parseFields(info) as Member | undefined) ?? []) };
}

/** Earlier versions whose runners write into Redis, and ask each other, as this version does: the two may be mixed for the time of a change. */
const UNDERSTOOD_VERSIONS: readonly string[] = ['0.1.0'];

const isUnderstood = (version: string, own: string): boolean =>
  version === own || UNDERSTOOD_VERSIONS.includes(version);

function problemWith(
  own: MemberInfo,
  others: readonly Member[],
): { readonly error: VoicebotError; readonly isFinal: boolean } | undefined {
  const other = others.find(({ version }) => !isUnderstood(version, own.version));
  if (other) {
    const why = `its runners are of voicebot ${other.version}, and this one is of ${own.version}`;
    const hint =
      'start all of them with one version; for the time of a change give the new ones another database: redis://host:6379/1';
    return { error: new VoicebotError('VB_CLUSTER_UNSUITABLE', why, { hint }), isFinal: true };
  }
  const foreign = others.find(({ publicUrl }) => publicUrl !== own.publicUrl);
  if (foreign) return { error: unlikeAddress(own, foreign), isFinal: false };
  const twin = others.find(
    ({ peerUrl, advertise }) => peerUrl === own.peerUrl || (advertise && advertise === own.advertise),
  );
  if (!twin) return loneliness(own, others);
  const why = `the runner on ${twin.machine} (process ${twin.pid}) has the same address, ${own.advertise ?? own.peerUrl}`;
  const hint = 'give each runner an address of its own: --advertise wss://…, or --port';
  return { error: new VoicebotError('VB_CLUSTER_UNSUITABLE', why, { hint }), isFinal: false };
}

/** Each checks what the carrier has signed against its own public address, also for a call that another one gives it. */
function unlikeAddress(own: MemberInfo, other: MemberInfo): VoicebotError {
  const named = ({ publicUrl }: MemberInfo) => publicUrl ?? 'unknown';
  const why = `the public address of the runner on ${other.machine} (process ${other.pid}) is ${named(other)}, and that of this one is ${named(own)}`;
  const hint =
    'give all runners the same --public-url; runners for another address are a cluster of their own, with another database: redis://host:6379/1';
  return new VoicebotError('VB_CLUSTER_UNSUITABLE', why, { hint });
}

/** One that listens on its own machine only, without an address for the others, has no way to those on other machines. */
function loneliness(own: MemberInfo, others: readonly Member[]) {
  const isLone = ({ peerUrl }: MemberInfo) => isLoopbackHost(new URL(peerUrl).hostname);
  const far = others.find((one) => one.machine !== own.machine && (isLone(own) || isLone(one)));
  if (!far) return undefined;
  const [lone, other] = isLone(own) ? [own, far] : [far, own];
  const why = `the runner on ${lone.machine} is reached at ${lone.peerUrl} only, and not from ${other.machine}`;
  const hint =
    'have each runner listen where the others reach it: --host 0.0.0.0 with VOICEBOT_TOKEN set, or --advertise wss://…';
  return { error: new VoicebotError('VB_CLUSTER_UNSUITABLE', why, { hint }), isFinal: false };
}
