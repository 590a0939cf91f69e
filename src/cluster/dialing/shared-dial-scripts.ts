import { KEPT_WAIT_S } from '../../runner/dialing/day-ledger.js';
import { rewrittenScript } from '../members/rewritten-state.js';
import type { RedisScript } from '../redis/redis-link.js';

// What Redis has: `slots`, calls that are not over, by when they run out; `recent`, those of the last minute, by when they were
// admitted; for each number the last call to it, until it may be called again; and for three days, each at the remainder of its
// number by 3, a hash of the minutes of each call and another of what each call costs, in millionths. Both have `day`, `total`, and `kept`:
// of that what calls that go on may give back, each as `kept:<call>`. Times are milliseconds of Redis's clock.

const SET_AMOUNT = `
local function set_amount(key, call, amount, is_kept)
  local function set(field, total, value)
    local before = tonumber(redis.call('HGET', key, field) or 0)
    if value > 0 or is_kept then redis.call('HSET', key, field, value) else redis.call('HDEL', key, field) end
    redis.call('HINCRBY', key, total, value - before)
  end
  set(call, 'total', amount)
  set('kept:' .. call, 'kept', is_kept and amount or 0)
end
`;

const KEY_OF_DAY = `
${SET_AMOUNT}
local function key_of_day(day, first)
  local key = KEYS[first + day % 3]
  local known = redis.call('HGET', key, 'day')
  if known ~= tostring(day) then
    if known and tonumber(known) > day then return nil end
    redis.call('DEL', key)
    redis.call('HSET', key, 'day', day, 'total', 0)
    redis.call('PEXPIRE', key, 3 * 86400000)
  end
  return key
end
`;

/** What {@link ADMIT} answers. The numbers are milliseconds to wait; before that of `minutes`, those of the day; `day` counts from 1970 on. */
export type AdmitAnswer =
  | ['admitted', day: number]
  | ['number', waitMs: number]
  | ['at_once']
  | ['minute', waitMs?: number]
  | ['minutes', used: number, waitMs: number]
  | ['money', used: number, waitMs: number];

/**
 * Takes a place for a call, or says which limit is in the way.
 * Keys: slots, recent, number, three of minutes, three of money. Arguments: call, calls in a minute, calls at once, milliseconds between
 * two calls to a number, milliseconds until a slot runs out, minutes in a day or -1, minutes of a call, money in a day or -1, the most
 * that the call may cost.
 */
export const ADMIT: RedisScript = rewrittenScript(`
${KEY_OF_DAY}
local call, per_minute, at_once, spacing = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local slot, per_day, per_call = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local money, most = tonumber(ARGV[12]), tonumber(ARGV[13])
local left = redis.call('PTTL', KEYS[5])
if spacing > 0 and left >= 0 then return { 'number', left } end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if redis.call('ZCARD', KEYS[3]) >= at_once then return { 'at_once' } end
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now - 60000)
if redis.call('ZCARD', KEYS[4]) >= per_minute then
  local oldest = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2]
  return oldest and { 'minute', oldest + 60000 - now } or { 'minute' }
end
local day = math.floor(now / 86400000)
local midnight = (day + 1) * 86400000 - now
local function refusal(is, first, most, limit)
  local key = key_of_day(day, first)
  if not key then return { is, limit, midnight } end -- Redis's clock was put back by days: what this one has taken is not known
  local used, kept = tonumber(redis.call('HGET', key, 'total')), tonumber(redis.call('HGET', key, 'kept') or 0)
  if used + most <= limit then return nil end
  return { is, used, used - kept + most > limit and midnight or math.min(midnight, ${KEPT_WAIT_S * 1_000}) }
end
local refused = money >= 0 and refusal('money', 9, most, money)
  or per_day >= 0 and refusal('minutes', 6, per_call, per_day)
if refused then return refused end
if money >= 0 then set_amount(key_of_day(day, 9), call, most, true) end
if per_day >= 0 then set_amount(key_of_day(day, 6), call, per_call, true) end
redis.call('ZADD', KEYS[3], now + slot, call)
redis.call('ZADD', KEYS[4], now, call)
if spacing > 0 then redis.call('SET', KEYS[5], call, 'PX', spacing) end
return { 'admitted', day }
`);

/**
 * Gives the place of a call back; done again, it does nothing.
 * Keys: slots, recent, number, three of minutes, three of money. Arguments: call, minutes that it took, `over` or `undone`.
 */
export const SETTLE: RedisScript = `
${SET_AMOUNT}
local call, minutes = ARGV[1], tonumber(ARGV[2])
if redis.call('ZREM', KEYS[1], call) == 1 then
  for key = 4, 6 do
    if redis.call('HEXISTS', KEYS[key], call) == 1 then set_amount(KEYS[key], call, minutes) end
  end
end
if ARGV[3] == 'undone' then
  redis.call('ZREM', KEYS[2], call)
  if redis.call('GET', KEYS[3]) == call then redis.call('DEL', KEYS[3]) end
  for key = 7, 9 do
    if redis.call('HEXISTS', KEYS[key], call) == 1 then set_amount(KEYS[key], call, 0) end
  end
end
return 1
`;

/** Notes what a call has cost that was kept for. Keys: three of money. Arguments: call, millionths. */
export const SPEND: RedisScript = `
${SET_AMOUNT}
for key = 1, 3 do
  if redis.call('HEXISTS', KEYS[key], ARGV[1]) == 1 then set_amount(KEYS[key], ARGV[1], tonumber(ARGV[2])) end
end
return 1
`;

/** How many arguments {@link REWRITE} takes for each call. */
const REWRITE_FIELDS = 7;

/**
 * Writes what a runner knows of calls, and leaves what is there.
 * Keys: slots, recent, three of minutes, three of money, and the number of each call. Arguments of each call: the call, milliseconds since
 * it was admitted, milliseconds until its slot runs out and until its number may be called again (0 for neither), its day (-1 where
 * neither minutes nor money are counted), its minutes, and what it costs.
 */
export const REWRITE: RedisScript = `
${KEY_OF_DAY}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local today = math.floor(now / 86400000)
for index = 0, #KEYS - 9 do
  local first = index * ${REWRITE_FIELDS}
  local call, age, slot = ARGV[first + 1], tonumber(ARGV[first + 2]), tonumber(ARGV[first + 3])
  local spacing, day, minutes = tonumber(ARGV[first + 4]), tonumber(ARGV[first + 5]), tonumber(ARGV[first + 6])
  local micros = tonumber(ARGV[first + 7])
  if slot > 0 then redis.call('ZADD', KEYS[1], 'NX', now + slot, call) end
  if age < 60000 then redis.call('ZADD', KEYS[2], 'NX', now - age, call) end
  if spacing > 0 then redis.call('SET', KEYS[9 + index], call, 'NX', 'PX', spacing) end
  local key = day >= today - 1 and key_of_day(day, 3)
  if key then set_amount(key, call, minutes, slot > 0) end
  local spent = day >= today - 1 and key_of_day(day, 6)
  if spent then set_amount(spent, call, micros, slot > 0) end
end
return 1
`;
