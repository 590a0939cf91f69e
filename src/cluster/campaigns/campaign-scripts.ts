import type { RedisScript } from '../redis/redis-link.js';

/** Milliseconds since the Unix epoch, by the clock of Redis, which all runners share. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function dated(entry, at) return string.sub(entry, 1, -2) .. ',"at":' .. string.format('%.0f', at or now) .. '}' end
`;

/**
 * Writes down a campaign unless it is there.
 * KEYS: all campaigns, its state. ARGV: id, campaign, a name for this copy, milliseconds in which nothing is dialled.
 * @returns now, and the campaign that is there when it was there before
 */
export const CREATE: RedisScript = `${NOW}
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then return {now, known} end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], 'condition', 'running', 'copy', ARGV[3], 'notBefore', now + ARGV[4])
return {now}`;

/**
 * Begins an attempt.
 * KEYS: state, attempts, live ones, log. ARGV: row.attempt, most at once, milliseconds between calls, the entry without its time.
 * @returns `{ now, 'begun' }`, `{ now, 'wait', ms }`, `{ now, 'refused' }`
 */
export const BEGIN: RedisScript = `${NOW}
local condition, last, notBefore = unpack(redis.call('HMGET', KEYS[1], 'condition', 'lastStart', 'notBefore'))
if condition ~= 'running' or redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return {now, 'refused'} end
if now < tonumber(notBefore or 0) then return {now, 'wait', notBefore - now} end
if redis.call('SCARD', KEYS[3]) >= tonumber(ARGV[2]) then return {now, 'wait', 1000} end
local dueAt = tonumber(last or 0) + tonumber(ARGV[3])
if now < dueAt then return {now, 'wait', math.ceil(dueAt - now)} end
redis.call('HSET', KEYS[1], 'lastStart', now)
redis.call('HSET', KEYS[2], ARGV[1], 1)
redis.call('SADD', KEYS[3], ARGV[1])
redis.call('RPUSH', KEYS[4], dated(ARGV[4]))
return {now, 'begun'}`;

/**
 * Writes entries of attempts, each unless what is there says as much already.
 * KEYS: state, attempts, live ones, log. ARGV: for each its row.attempt, its rank (0 takes back 1), and itself.
 * @returns now
 */
export const WRITE: RedisScript = `${NOW}
for at = 1, #ARGV, 3 do
  local field, rank, entry = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  local known = tonumber(redis.call('HGET', KEYS[2], field) or 0)
  if rank == 0 and known == 1 then
    redis.call('HDEL', KEYS[2], field)
    redis.call('SREM', KEYS[3], field)
    redis.call('RPUSH', KEYS[4], entry)
  elseif rank > known then
    redis.call('HSET', KEYS[2], field, rank)
    redis.call(rank == 3 and 'SREM' or 'SADD', KEYS[3], field)
    redis.call('RPUSH', KEYS[4], entry)
  end
end
return now`;

/**
 * Pauses, goes on or cancels; the last order holds, and a cancelled campaign stays so.
 * KEYS: state, log. ARGV: condition, the entry without its time, when it was ordered: empty for now.
 * @returns now, and when it was ordered: nothing where a later order holds
 */
export const TURN: RedisScript = `${NOW}
local known, turnedAt = unpack(redis.call('HMGET', KEYS[1], 'condition', 'turnedAt'))
turnedAt = tonumber(turnedAt or 0)
local at = ARGV[3] == '' and math.max(now, turnedAt + 1) or tonumber(ARGV[3])
if known == 'cancelled' or (at <= turnedAt and ARGV[1] ~= 'cancelled') then return {now} end
redis.call('HSET', KEYS[1], 'condition', ARGV[1], 'turnedAt', at)
redis.call('RPUSH', KEYS[2], dated(ARGV[2], at))
return {now, at}`;

/**
 * Nothing is dialled for a while: Redis has been away, and may not know what runners have done.
 * KEYS: state. ARGV: milliseconds.
 * @returns now
 */
export const HOLD: RedisScript = `${NOW}
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'notBefore', now + ARGV[1]) end
return now`;
