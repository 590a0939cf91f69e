import type { RedisScript } from '../redis/redis-link.js';

// Each number of a cluster has a hash with `token`, `revision` and `entry`, and the set of the runners that hold it. `undoing`
// is there while a holder puts the number back, `late` when one that was doing so has lost it meanwhile. The token stays when
// the entry goes: a runner that stood still sees by it that the number was given back. Tokens are at least the microseconds of
// Redis's clock, so that they grow also over a Redis that has lost everything.

const NEXT_TOKEN = `
local function next_token(counter)
  local now = redis.call('TIME')
  local token = math.max(tonumber(redis.call('GET', counter) or '0') + 1, now[1] * 1000000 + now[2])
  local text = string.format('%.0f', token)
  redis.call('SET', counter, text)
  return text
end
`;

/** Whether a number is not any more as it was read: with which token, if any. */
const IS_OTHER = `
local function is_other(token, entry, read)
  if entry then return token ~= read end
  return token and read ~= '' and tonumber(token) >= tonumber(read)
end
`;

/** How long the token of a number that no runner holds is remembered, in milliseconds: a month. */
const FORGET_MS = 30 * 24 * 3_600_000;

/**
 * A number belongs to this runner from now on. Keys: the number, its holders, the counter of tokens, the names of all numbers.
 * Arguments: the token that was read, or nothing; the entry; the runner; the name. Returns the token; nothing when another runner
 * was faster.
 */
export const TAKE: RedisScript = `${NEXT_TOKEN}${IS_OTHER}
local token, entry = unpack(redis.call('HMGET', KEYS[1], 'token', 'entry'))
if is_other(token, entry, ARGV[1]) then return false end
if redis.call('HGET', KEYS[1], 'undoing') then redis.call('HSET', KEYS[1], 'late', '1') end
local mine = next_token(KEYS[3])
redis.call('HSET', KEYS[1], 'token', mine, 'revision', '1', 'entry', ARGV[2])
redis.call('HDEL', KEYS[1], 'undoing')
redis.call('PERSIST', KEYS[1])
redis.call('DEL', KEYS[2])
redis.call('SADD', KEYS[2], ARGV[3])
redis.call('SADD', KEYS[4], ARGV[4])
return mine`;

/**
 * Holds a number under a token that is known, or goes on holding it: what Redis has lost is written down again, and never over
 * what is newer. Keys as of {@link TAKE}. Arguments: token, revision, entry, name, this runner, all
 * holders that it knows, for when Redis has lost them. Returns revision, entry and holders;
 * nothing when a newer token is there, or the number was given back.
 */
export const HOLD: RedisScript = `
local token, revision, entry = unpack(redis.call('HMGET', KEYS[1], 'token', 'revision', 'entry'))
if token and tonumber(token) > tonumber(ARGV[1]) then return false end
if token == ARGV[1] then
  if not entry then return false end
else
  redis.call('DEL', KEYS[1], KEYS[2])
  entry = false
end
if not entry or tonumber(revision) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'revision', ARGV[2], 'entry', ARGV[3])
end
if tonumber(redis.call('GET', KEYS[3]) or '0') < tonumber(ARGV[1]) then redis.call('SET', KEYS[3], ARGV[1]) end
redis.call('PERSIST', KEYS[1])
if not entry then redis.call('SADD', KEYS[2], unpack(ARGV, 6)) end
redis.call('SADD', KEYS[2], ARGV[5])
redis.call('SADD', KEYS[4], ARGV[4])
local now = redis.call('HMGET', KEYS[1], 'revision', 'entry')
return { now[1], now[2], redis.call('SMEMBERS', KEYS[2]) }`;

/**
 * Before a number is put back. Keys as of {@link TAKE}, and what others have lost. Arguments: the token that was read, or nothing; whether it is this runner
 * that holds it. A number of others gets a new token, which takes it from them, and no holder; the last
 * five of their entries are remembered. Returns the token; nothing when
 * another runner was faster.
 */
export const CLAIM: RedisScript = `${NEXT_TOKEN}${IS_OTHER}
local token, entry, undoing = unpack(redis.call('HMGET', KEYS[1], 'token', 'entry', 'undoing'))
if is_other(token, entry, ARGV[1]) then return false end
local mine = ARGV[1]
if ARGV[2] ~= '1' then
  mine = next_token(KEYS[3])
  if undoing then redis.call('HSET', KEYS[1], 'late', '1') end
  redis.call('DEL', KEYS[2])
  if entry then
    redis.call('RPUSH', KEYS[5], entry)
    redis.call('LTRIM', KEYS[5], -5, -1)
    redis.call('PEXPIRE', KEYS[5], ${FORGET_MS})
  end
end
redis.call('HSET', KEYS[1], 'token', mine, 'undoing', mine)
return mine`;

/** The number is as it was. Keys: the number, its holders, the names of all numbers. Arguments: the token; the name. */
export const SETTLE: RedisScript = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'entry', 'revision', 'undoing')
redis.call('PEXPIRE', KEYS[1], ${FORGET_MS})
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[3], ARGV[2])
return 1`;

/**
 * A taking has failed: the number belongs again to whom it was taken from, under his token. Keys: the number, its holders.
 * Arguments: our token; his token, revision and entry; his holders.
 */
export const HAND_BACK: RedisScript = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[2], 'revision', ARGV[3], 'entry', ARGV[4])
redis.call('DEL', KEYS[2])
if #ARGV > 4 then redis.call('SADD', KEYS[2], unpack(ARGV, 5)) end
return 1`;

/** Whether `late` was set, which it is not any more. Key: the number. Argument: the token. */
export const TAKE_LATE: RedisScript = `
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'late')`;

/** Remembers addresses, the last 200. Key: the addresses. Arguments: the addresses. */
export const NOTE: RedisScript = `
local now = redis.call('TIME')
for _, url in ipairs(ARGV) do redis.call('ZADD', KEYS[1], now[1], url) end
return redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -201)`;
