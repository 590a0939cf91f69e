import { randomBytes } from 'node:crypto';
import { isTakenOff, type ListChange, readChange } from '../../runner/dialing/do-not-call/list-change.js';
import type { RedisLink, RedisScript } from '../redis/redis-link.js';

// What Redis has: `changes`, the latest change of each number, by number; `order`, the numbers by when Redis learnt of that, counted from 1;
// `count`, how many it has learnt, with `epoch`, which differs once Redis has lost all of this; and `seen`, how many each runner has on its disk.

/** Changes that are told in one script; Redis does nothing else meanwhile. */
const AT_ONCE = 500;
/** Changes that {@link ListInRedis.pull} answers at most: who writes them down waits for the disk once for all of them. */
const PULLED = 10_000;

/**
 * Keys: changes, order, count, seen. Arguments: an epoch for a Redis that has none, then for each change number, time, 1 when the number was taken
 * off, and JSON. Of two of a number the later one stays. Answers the epoch and how many changes there have been.
 */
const MERGE: RedisScript = `
if redis.call('HSETNX', KEYS[3], 'epoch', ARGV[1]) == 1 then redis.call('DEL', KEYS[4]) end
for first = 2, #ARGV, 4 do
  local number, at, off = ARGV[first], tonumber(ARGV[first + 1]), ARGV[first + 2]
  local known = redis.call('HGET', KEYS[1], number)
  local isLater = true
  if known then
    local before = cjson.decode(known)
    isLater = at > before.at or (at == before.at and before.off and off == '0')
  end
  if isLater then
    redis.call('HSET', KEYS[1], number, ARGV[first + 3])
    redis.call('ZADD', KEYS[2], redis.call('HINCRBY', KEYS[3], 'n', 1), number)
  end
end
return { redis.call('HGET', KEYS[3], 'epoch'), tonumber(redis.call('HGET', KEYS[3], 'n') or '0') }
`;

/**
 * Keys as of {@link MERGE}. Arguments: the runner or nothing, its epoch, up to where it has all changes on its disk, and how many to answer. Answers
 * the epoch, up to where these go, and the changes as JSON; nothing for another epoch.
 */
const PULL: RedisScript = `
local epoch = redis.call('HGET', KEYS[3], 'epoch') or ''
if epoch ~= ARGV[2] then return { epoch, 0 } end
if ARGV[1] ~= '' then redis.call('HSET', KEYS[4], ARGV[1], ARGV[3]) end
local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[3], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[4])
local answer = { epoch, tonumber(ARGV[3]) }
for index = 1, #found, 2 do
  answer[2] = tonumber(found[index + 1])
  answer[#answer + 1] = redis.call('HGET', KEYS[1], found[index])
end
return answer
`;

/** Keys: count, seen. Answers the epoch, then each runner and up to where it has all changes. */
const SEEN: RedisScript = `
local answer = { redis.call('HGET', KEYS[1], 'epoch') or '' }
for _, field in ipairs(redis.call('HGETALL', KEYS[2])) do answer[#answer + 1] = field end
return answer
`;

/** Up to where something is known: the count says nothing in another epoch. */
export interface ListPlace {
  readonly epoch: string;
  readonly count: number;
}

/** The do-not-call list of a cluster, as its Redis has it. */
export class ListInRedis {
  constructor(private readonly redis: RedisLink) {}

  /** Of the latest change of each number, as JSON, by number. */
  get changesKey(): string {
    return this.redis.key('do-not-call', 'changes');
  }

  /** @returns up to where Redis knows changes now, these among them. @throws VoicebotError VB_CLUSTER_UNREACHABLE */
  async merge(changes: readonly ListChange[]): Promise<ListPlace> {
    let place: ListPlace = { epoch: '', count: 0 };
    for (let first = 0; first === 0 || first < changes.length; first += AT_ONCE) {
      const fields = changes
        .slice(first, first + AT_ONCE)
        .flatMap((change) => [change.number, change.at, isTakenOff(change) ? 1 : 0, JSON.stringify(change)]);
      const epoch = randomBytes(8).toString('hex');
      const answer = (await this.redis.script(MERGE, this.#keys, [epoch, ...fields])) as [string, number];
      place = { epoch: answer[0], count: answer[1] };
    }
    return place;
  }

  /**
   * The next changes after a place, at most {@link PULLED}.
   * @param runner that has everything up to there on its disk; undefined for a program that is none
   * @returns none, and the place to begin at, where Redis has lost what it knew since
   * @throws VoicebotError VB_CLUSTER_UNREACHABLE
   */
  async pull(after: ListPlace, runner = ''): Promise<{ place: ListPlace; changes: ListChange[] }> {
    const changes: ListChange[] = [];
    let place = after;
    for (let isMore = true; isMore && changes.length < PULLED; ) {
      const args = [place === after ? runner : '', place.epoch, place.count, AT_ONCE];
      const answer = (await this.redis.script(PULL, this.#keys, args)) as [string, number, ...string[]];
      const [epoch, count, ...lines] = answer;
      if (epoch !== after.epoch) return { place: { epoch, count }, changes: [] };
      for (const line of lines) {
        const change = readChange(line);
        if (change) changes.push(change);
      }
      place = { epoch, count };
      isMore = lines.length === AT_ONCE;
    }
    return { place, changes };
  }

  /** Which runners have everything up to where. @throws VoicebotError VB_CLUSTER_UNREACHABLE */
  async seen(): Promise<{ epoch: string; runners: ReadonlyMap<string, number> }> {
    const [, , count, seen] = this.#keys as [string, string, string, string];
    const [epoch = '', ...fields] = (await this.redis.script(SEEN, [count, seen])) as string[];
    const runners = new Map<string, number>();
    for (let index = 0; index < fields.length; index += 2) runners.set(fields[index] ?? '', Number(fields[index + 1]));
    return { epoch, runners };
  }

  get #keys(): string[] {
    const key = (name: string) => this.redis.key('do-not-call', name);
    return [this.changesKey, key('order'), key('count'), key('seen')];
  }
}
