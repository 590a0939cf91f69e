import { createHash, createHmac } from 'node:crypto';
import { pause } from '../../base/async/pause.js';
import { type ErrorFields, VoicebotError } from '../../base/errors.js';
import {
  MAX_KEYS,
  REMEMBERED_MS,
  type RequestsOnce,
  requestConflict,
  tooManyRequests,
} from '../../runner/dialing/idempotent-requests.js';
import type { Cluster } from '../members/cluster.js';
import { RewrittenState, rewrittenScript } from '../members/rewritten-state.js';
import type { RedisScript } from '../redis/redis-link.js';

/** Pause between two looks for what another runner comes to, in milliseconds. */
const LOOK_EVERY_MS = 200;
/** Longest wait for it: longer than a request to a carrier takes, with looking up what became of it. Milliseconds. */
const WAIT_MS = 30_000;
/** How long a runner is not there before nothing more is expected of it: one that has just joined may not be known yet. Milliseconds. */
const GONE_MS = 3_000;

/** Commands that are under way at the same time when everything is written again: each has a second. */
const REWRITTEN_AT_ONCE = 500;

/** What Redis has of a request, as JSON. */
interface RequestEntry<T> {
  /** Identifier of the runner that has begun. */
  readonly runner: string;
  readonly fingerprint: string;
  /** How it ended; none while it runs. */
  readonly outcome?:
    | { readonly is: 'done'; readonly result: T }
    | { readonly is: 'uncertain'; readonly error: ErrorFields };
}

/** What this runner has in Redis, or owes it. */
interface OwnRequest<T> {
  /** Undefined: the request is forgotten. */
  readonly entry: RequestEntry<T> | undefined;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** Keys: the request's. Arguments: the entry, and how long it stays in milliseconds. Answers with what is there already. */
const CLAIM: RedisScript = rewrittenScript(`
local known = redis.call('GET', KEYS[3])
if known then return { 'known', known } end
redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[6])
return { 'begun' }
`);

/** Keys and arguments as of {@link CLAIM}, then the runner; an empty entry removes its own. Nothing of another runner is changed. */
const SETTLE: RedisScript = `
local known = redis.call('GET', KEYS[1])
if known and cjson.decode(known).runner ~= ARGV[3] then return 0 end
if ARGV[1] ~= '' then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
elseif known then redis.call('DEL', KEYS[1]) end
return 1
`;

export interface SharedRequestsOptions {
  readonly cluster: Cluster;
  /** The same for every runner of the cluster: a reader of Redis who lacks it cannot tell what was asked for. */
  readonly secret: string;
  /** As for `RewrittenState`. */
  readonly rewriteMs?: number | undefined;
  /** Monotonic milliseconds. Default: those of this process. */
  readonly now?: () => number;
}

/**
 * Gives requests that carry the same key one outcome, whichever runners of the cluster they come to. Before it works, a runner
 * claims the key in Redis; the others wait for what it comes to. What a runner has claimed and come to it writes again for a
 * Redis that has lost it.
 * @template T what work results in: something that JSON can tell
 */
export class SharedRequests<T> implements RequestsOnce<T> {
  readonly #state: RewrittenState;
  readonly #fingerprintKey: Buffer;
  /** What this runner works at or waits for, by key. */
  readonly #running = new Map<string, { readonly fingerprint: string; readonly outcome: Promise<T> }>();
  /** What it has claimed and come to, by key in Redis, oldest first. */
  readonly #own = new Map<string, OwnRequest<T>>();
  readonly #now: () => number;

  constructor(private readonly options: SharedRequestsOptions) {
    this.#now = options.now ?? (() => performance.now());
    this.#fingerprintKey = createHmac('sha256', options.secret).update('voicebot request').digest();
    this.#state = new RewrittenState({ ...options, name: 'requests', write: () => this.#rewrite() });
  }

  async run(key: string | undefined, request: string, work: () => Promise<T>): Promise<T> {
    if (key === undefined) return await work();
    const fingerprint = createHmac('sha256', this.#fingerprintKey).update(request).digest('base64url');
    const running = this.#running.get(key);
    if (running && running.fingerprint !== fingerprint) throw requestConflict();
    if (running) return await running.outcome;
    if (this.#running.size >= MAX_KEYS) throw tooManyRequests();
    const outcome = this.#once(this.#nameOf(key), fingerprint, work);
    this.#running.set(key, { fingerprint, outcome });
    try {
      return await outcome;
    } finally {
      this.#running.delete(key);
    }
  }

  async close(): Promise<void> {
    await this.#state.written;
    this.#state.close();
  }

  async #once(name: string, fingerprint: string, work: () => Promise<T>): Promise<T> {
    const lateAt = this.#now() + WAIT_MS;
    let seenAt = this.#now();
    for (;;) {
      const known = await this.#claim(name, fingerprint);
      if (known === 'begun') return await this.#work(name, fingerprint, work);
      if (known.fingerprint !== fingerprint) throw requestConflict();
      if (known.outcome) return outcomeOf(known.outcome);
      if (this.options.cluster.members.isAlive(known.runner)) seenAt = this.#now();
      else if (this.#now() - seenAt >= GONE_MS) throw gone();
      if (this.#now() >= lateAt) throw late();
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Begins, unless a runner has begun. */
  async #claim(name: string, fingerprint: string): Promise<RequestEntry<T> | 'begun'> {
    const entry: RequestEntry<T> = { runner: this.#ownId, fingerprint };
    try {
      const answer = await this.#state.script(CLAIM, [name], [JSON.stringify(entry), REMEMBERED_MS]);
      const [is, known] = answer as ['begun'] | ['known', string];
      if (is === 'known') return JSON.parse(known as string);
    } catch (error) {
      // Where the answer got lost, the claim may stand.
      if ((error as Error).cause !== undefined) void this.#settle(name, undefined);
      throw error;
    }
    this.#keep(name, entry);
    return 'begun';
  }

  async #work(name: string, fingerprint: string, work: () => Promise<T>): Promise<T> {
    const entry = { runner: this.#ownId, fingerprint };
    try {
      const result = await work();
      await this.#settle(name, { ...entry, outcome: { is: 'done', result } });
      return result;
    } catch (error) {
      const isUncertain = error instanceof VoicebotError && error.code === 'VB_CALL_UNCERTAIN';
      const outcome = isUncertain && ({ is: 'uncertain', error: VoicebotError.fieldsOf(error, error.code) } as const);
      await this.#settle(name, outcome ? { ...entry, outcome } : undefined);
      throw error;
    }
  }

  /** Never rejects: what Redis cannot be told now it is told when it is back. */
  async #settle(name: string, entry: RequestEntry<T> | undefined): Promise<void> {
    const own = this.#keep(name, entry);
    try {
      await this.#state.written;
      await this.#tell(name, own);
    } catch {
      // it is in #own
    }
  }

  async #tell(name: string, own: OwnRequest<T>): Promise<void> {
    const leftMs = Math.ceil(own.at + REMEMBERED_MS - this.#now());
    if (leftMs <= 0 || this.#own.get(name) !== own) return;
    const text = own.entry ? JSON.stringify(own.entry) : '';
    await this.options.cluster.redis.script(SETTLE, [name], [text, leftMs, this.#ownId]);
    if (!own.entry && this.#own.get(name) === own) this.#own.delete(name);
  }

  async #rewrite(): Promise<void> {
    const all = [...this.#own];
    for (let first = 0; first < all.length; first += REWRITTEN_AT_ONCE) {
      const some = all.slice(first, first + REWRITTEN_AT_ONCE);
      await Promise.all(some.map(([name, own]) => this.#tell(name, own)));
    }
  }

  /** The oldest that are settled make room. */
  #keep(name: string, entry: RequestEntry<T> | undefined): OwnRequest<T> {
    const own: OwnRequest<T> = { entry, at: this.#now() };
    this.#own.delete(name);
    this.#own.set(name, own);
    for (const [old, { entry: kept, at }] of this.#own) {
      const isOld = at + REMEMBERED_MS <= this.#now() || (this.#own.size > MAX_KEYS && kept?.outcome !== undefined);
      if (!isOld) break;
      this.#own.delete(old);
    }
    return own;
  }

  get #ownId(): string {
    return this.options.cluster.members.ownId;
  }

  /** A reader of Redis does not see the keys of programs. */
  #nameOf(key: string): string {
    return this.options.cluster.redis.key('request', createHash('sha256').update(key).digest('base64url'));
  }
}

function outcomeOf<T>(outcome: NonNullable<RequestEntry<T>['outcome']>): T {
  if (outcome.is === 'done') return outcome.result;
  throw VoicebotError.revive(outcome.error);
}

const gone = (): VoicebotError =>
  new VoicebotError(
    'VB_CALL_UNCERTAIN',
    'the runner that was asked first is gone, and has not said what became of it',
    {
      hint: 'look at the calls of the cluster and of the carrier before you dial again with another key',
    },
  );

const late = (): VoicebotError =>
  new VoicebotError('VB_CALL_UNCERTAIN', 'another runner is still at it', {
    hint: 'repeat the request with the same key to hear what became of it',
  });
