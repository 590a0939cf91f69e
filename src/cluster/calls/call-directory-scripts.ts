import type { RedisScript } from '../redis/redis-link.js';

/**
 * KEYS: the call, its end, the name that the provider has for it, the owner's calls. ARGV: the owner, our name of the call, how long it is
 * kept. A name of the provider leads to the call that has it.
 */
export const CLAIM: RedisScript = `
    local over = redis.call('GET', KEYS[2])
    if over then return { 'over', over } end
    local owner = redis.call('HGET', KEYS[1], 'owner')
    if owner and owner ~= ARGV[1] then return { 'theirs', owner } end
    local alias = redis.call('GET', KEYS[3])
    if alias and alias ~= ARGV[2] then
      return { 'alias', alias }
    end
    redis.call('HSET', KEYS[1], 'owner', ARGV[1])
    redis.call('HSETNX', KEYS[1], 'epoch', 1)
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
    redis.call('SADD', KEYS[4], ARGV[2])
    redis.call('PEXPIRE', KEYS[4], ARGV[3])
    return {
      'ours',
      redis.call('HGET', KEYS[1], 'epoch'),
      redis.call('HGET', KEYS[1], 'life') or '',
      redis.call('HGET', KEYS[1], 'record') or '',
    }`;

/** KEYS: the call, our calls, those of the other. ARGV: our identifier, the other's, the call, how long it is kept. */
export const TAKE: RedisScript = `
    local owner = redis.call('HGET', KEYS[1], 'owner')
    if owner ~= ARGV[2] then return { owner or '' } end
    redis.call('HSET', KEYS[1], 'owner', ARGV[1])
    local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
    redis.call('SREM', KEYS[3], ARGV[3])
    redis.call('SADD', KEYS[2], ARGV[3])
    return { ARGV[1], epoch, redis.call('HGET', KEYS[1], 'life') or '', redis.call('HGET', KEYS[1], 'record') or '' }`;

/**
 * KEYS: the call, our calls, the provider's name, its end. ARGV: our identifier, epoch, record, life, the call, how long it is kept. A
 * Redis that has forgotten the call learns it again, but not one that another runner took over and ended.
 */
export const SAVE: RedisScript = `
    if redis.call('EXISTS', KEYS[4]) == 1 then return 0 end
    local owner = redis.call('HGET', KEYS[1], 'owner')
    local epoch = tonumber(redis.call('HGET', KEYS[1], 'epoch') or ARGV[2])
    if owner and (epoch > tonumber(ARGV[2]) or (epoch == tonumber(ARGV[2]) and owner ~= ARGV[1])) then return 0 end
    redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'epoch', ARGV[2], 'record', ARGV[3], 'life', ARGV[4])
    redis.call('PEXPIRE', KEYS[1], ARGV[6])
    redis.call('SADD', KEYS[2], ARGV[5])
    redis.call('PEXPIRE', KEYS[2], ARGV[6])
    if KEYS[3] ~= KEYS[1] then redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[6]) end
    return 1`;

/**
 * Told again, only the record changes, for as long as it is kept. KEYS: the call, our calls, its end, the list of those that are over, its last
 * record, that this will not change any more. ARGV: our identifier, epoch (0: it was told before), record, why, the call, how long the end is kept,
 * how many are listed, how long the record is kept, 1 where it will not change.
 */
export const FINISH: RedisScript = `
    local owner = redis.call('HGET', KEYS[1], 'owner')
    local epoch = tonumber(redis.call('HGET', KEYS[1], 'epoch') or ARGV[2])
    redis.call('SREM', KEYS[2], ARGV[5])
    if owner and (owner ~= ARGV[1] or epoch ~= tonumber(ARGV[2])) then return 0 end
    local told = redis.call('GET', KEYS[5])
    if not told and ARGV[2] == '0' then return 0 end
    redis.call('DEL', KEYS[1])
    if ARGV[4] == '' then return 1 end
    if told then
      redis.call('SET', KEYS[5], ARGV[3], 'KEEPTTL')
      local at = redis.call('LPOS', KEYS[4], told)
      if at then redis.call('LSET', KEYS[4], at, ARGV[3]) end
    else
      redis.call('SET', KEYS[3], ARGV[4], 'PX', ARGV[6])
      redis.call('SET', KEYS[5], ARGV[3], 'PX', ARGV[8])
      redis.call('LPUSH', KEYS[4], ARGV[3])
      redis.call('LTRIM', KEYS[4], 0, ARGV[7])
    end
    if ARGV[9] == '1' then redis.call('SET', KEYS[6], '1', 'PX', ARGV[8]) end
    return 1`;
