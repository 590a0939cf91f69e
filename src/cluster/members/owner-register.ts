import type { RedisScript } from '../redis/redis-link.js';
import type { Cluster } from './cluster.js';

/** An entry that a runner has given away waits so long for the one that it is meant for, in seconds; then anybody takes it. */
const GIVEN_AWAY_S = 10;
/** Entries that one script changes at most: Redis does nothing else meanwhile. */
const AT_ONCE = 500;

/**
 * Who owns an entry: `term owner since role`. A higher term is a later owner; `since` is in seconds of Redis's clock; `role` is `h` of a
 * holder, whose call it is, or `c` of a caretaker, who has found it with a runner that is gone. The owner `-` is no runner.
 */
const READ_ENTRY = `
local function read(entry)
  if not entry then return nil end
  local term, owner, since, role = string.match(entry, '^(%d+) (%S+) (%d+) (%a)$')
  return tonumber(term), owner, tonumber(since), role
end
local function written(term, owner, since, role)
  return string.format('%d %s %d %s', term, owner, since, role)
end
`;

export interface Owner {
  readonly runnerId: string;
  readonly isCaretaker: boolean;
}

/** No runner owns the entry: its owner has given it away. */
const NOBODY = '-';

/** What happens to one entry. `restore` gives way to a later owner; `add` does not. */
export interface OwnerChange {
  readonly id: string;
  readonly is: 'add' | 'restore' | 'remove';
  /** The last one known; 0 when none is. */
  readonly term: number;
}

/** `<operation> <id> <term>` for each; answers with the terms under which the runner owns them, 0 where it does not. */
const CHANGE: RedisScript = `${READ_ENTRY}
local own, now, terms = ARGV[1], tonumber(redis.call('TIME')[1]), {}
for at = 2, #ARGV, 3 do
  local is, id, known = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local term, owner, since = read(redis.call('HGET', KEYS[1], id))
  local mine = 0
  if is == 'remove' then
    if owner == own then redis.call('HDEL', KEYS[1], id) end
  elseif not term then mine = math.max(known, 1)
  elseif owner == own then mine = math.max(known, term)
  elseif is == 'add' then mine = math.max(known, term) + 1
  elseif term < known then mine = known
  end
  if mine > 0 then redis.call('HSET', KEYS[1], id, written(mine, own, since or now, 'h')) end
  table.insert(terms, mine)
end
return terms`;

const OWNERS: RedisScript = `${READ_ENTRY}
local seen, owners = {}, {}
for _, entry in ipairs(redis.call('HVALS', KEYS[1])) do
  local _, owner = read(entry)
  if owner and not seen[owner] then
    seen[owner] = true
    table.insert(owners, owner)
  end
end
return owners`;

/**
 * `<own> <oldest> <most> <pause> <unsure>` and the owners that are gone; answers with identifiers and terms in turn. Removes what is too
 * old. Unsure is who may have taken something and not have heard of it.
 */
const TAKE: RedisScript = `${READ_ENTRY}
local own, oldest, most, pause = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now, gone, taken = tonumber(redis.call('TIME')[1]), {}, {}
for at = 6, #ARGV do gone[ARGV[at]] = true end
local all = redis.call('HGETALL', KEYS[1])
for at = 1, #all, 2 do
  local id, term, owner, since, role = all[at], read(all[at + 1])
  if not term or now - since > oldest then redis.call('HDEL', KEYS[1], id)
  elseif gone[owner] and #taken < 2 * most and (owner ~= '-' or now - since >= pause) then
    redis.call('HSET', KEYS[1], id, written(term + 1, own, since, 'c'))
    table.insert(taken, id)
    table.insert(taken, term + 1)
  elseif owner == own and role == 'c' and ARGV[5] == '1' then
    table.insert(taken, id)
    table.insert(taken, term)
  end
end
return taken`;

/** `<own> <role>`, then `<id> <owner that must stand there, or nothing>`; answers with the terms, 0 where another stands there. */
const CLAIM: RedisScript = `${READ_ENTRY}
local own, role, now, terms = ARGV[1], ARGV[2], tonumber(redis.call('TIME')[1]), {}
for at = 3, #ARGV, 2 do
  local id, expected = ARGV[at], ARGV[at + 1]
  local term, owner, since = read(redis.call('HGET', KEYS[1], id))
  local mine = 0
  if (owner or '') == expected then
    mine = (term or 0) + (owner == own and 0 or 1)
    redis.call('HSET', KEYS[1], id, written(mine, own, since or now, role))
  end
  table.insert(terms, mine)
end
return terms`;

/**
 * A hash in Redis that says which runner of the cluster answers for what. An entry changes hands only while the owner still stands there
 * from whom it is taken, so that of several runners exactly one gets it. Everything fails with VB_CLUSTER_UNREACHABLE while Redis is away.
 */
export class OwnerRegister {
  /** The key of the hash. */
  readonly key: string;
  #isUnsure = false;

  /** @param longestMs entries that are older are forgotten, in milliseconds */
  constructor(
    private readonly cluster: Cluster,
    name: readonly string[],
    private readonly longestMs: number,
  ) {
    this.key = cluster.redis.key(...name);
  }

  /** Whether no runner that is there answers for what `runnerId` owns. */
  isGone(runnerId: string): boolean {
    const { ownId } = this.cluster.members;
    return runnerId === NOBODY || (runnerId !== ownId && !this.cluster.members.isAlive(runnerId));
  }

  /** @returns the terms under which this runner owns the entries; 0 for one that it does not own */
  async change(changes: readonly OwnerChange[]): Promise<number[]> {
    const terms: number[] = [];
    for (let at = 0; at < changes.length; at += AT_ONCE) {
      const some = changes.slice(at, at + AT_ONCE).flatMap(({ is, id, term }) => [is, id, term]);
      terms.push(...((await this.#ask(CHANGE, some)) as number[]));
    }
    return terms;
  }

  /**
   * Takes what belongs to runners that are gone, {@link AT_ONCE} entries at most.
   * @returns what this runner is the caretaker of; also what it was before, when an earlier answer has not arrived
   */
  async take(): Promise<Array<{ id: string; term: number }>> {
    const owners = (await this.cluster.redis.script(OWNERS, [this.key])) as string[];
    const gone = owners.filter((owner) => this.isGone(owner));
    if (gone.length === 0 && !this.#isUnsure) return [];
    const oldest = Math.ceil(this.longestMs / 1_000);
    const limits = [oldest, AT_ONCE, GIVEN_AWAY_S, this.#isUnsure ? 1 : 0];
    this.#isUnsure = true;
    const taken = (await this.#ask(TAKE, [...limits, ...gone])) as Array<string | number>;
    this.#isUnsure = false;
    return Array.from({ length: taken.length / 2 }, (_, at) => ({
      id: String(taken[2 * at]),
      term: Number(taken[2 * at + 1]),
    }));
  }

  /** Of each entry; undefined where there is none. */
  async ownersOf(ids: readonly string[]): Promise<Array<Owner | undefined>> {
    if (ids.length === 0) return [];
    const entries = await this.cluster.redis.run((redis) => redis.hmget(this.key, ...ids));
    return entries.map((entry) => {
      const [, runnerId, , role] = entry?.split(' ') ?? [];
      return runnerId === undefined ? undefined : { runnerId, isCaretaker: role === 'c' };
    });
  }

  /**
   * Makes entries this runner's, where their owner is still the one given.
   * @param from the owner that stands there; undefined when there is no entry
   * @returns the terms; 0 for an entry that has changed hands meanwhile
   */
  async claim(
    entries: ReadonlyArray<{ readonly id: string; readonly from: string | undefined }>,
    { isCaretaker }: Pick<Owner, 'isCaretaker'>,
  ): Promise<number[]> {
    if (entries.length === 0) return [];
    const pairs = entries.flatMap(({ id, from = '' }) => [id, from]);
    return (await this.#ask(CLAIM, [isCaretaker ? 'c' : 'h', ...pairs])) as number[];
  }

  #ask(script: RedisScript, args: ReadonlyArray<string | number>): Promise<unknown> {
    const { redis, members } = this.cluster;
    return redis.script(script, [this.key], [members.ownId, ...args]);
  }
}
