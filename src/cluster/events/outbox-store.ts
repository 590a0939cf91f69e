import { fingerprintOf } from '../../base/secret.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { ApplicationEvent, ApplicationEventType } from '../../runner/events/application-event.js';
import type { KeptEvent, OutboxState } from '../../runner/events/outbox-file.js';
import type { Cluster } from '../members/cluster.js';
import { type Owner, OwnerRegister, READ_ENTRY } from '../members/owner-register.js';
import type { RedisScript } from '../redis/redis-link.js';

/** What nobody has delivered in this time, nobody will, in seconds. */
const FORGOTTEN_S = 3 * 24 * 60 * 60;
/** An event of the call is in a field of this and its identifier: `[place in the order, event]`. */
const EVENT = 'event:';

/**
 * `<call> <own> <role> <known term> <seconds to keep> <count>`, so many fields and values to set, then fields to delete. Nothing is
 * changed when the call is another runner's, or when one that had taken it over has delivered everything.
 */
const WRITE: RedisScript = `${READ_ENTRY}
local id, own, role, known, count = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[6])
local now = tonumber(redis.call('TIME')[1])
local term, owner, since, standing = read(redis.call('HGET', KEYS[1], id))
if not term and redis.call('HEXISTS', KEYS[2], 'done') == 1 then return {'done'} end
if term and owner ~= own and term >= known then return {'others', owner, standing} end
local mine = math.max(known, term or 1)
if owner == own and mine ~= known then return {'changed', mine} end
redis.call('HSET', KEYS[1], id, written(mine, own, since or now, role))
for at = 7, 6 + count, 2 do redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
for at = 7 + count, #ARGV do redis.call('HDEL', KEYS[2], ARGV[at]) end
redis.call('EXPIRE', KEYS[2], ARGV[5])
return {'ours', mine}`;

/** `<call> <own> <known term> <seconds to keep>`: everything is delivered. Who had it before learns that from what stays. */
const REMOVE: RedisScript = `${READ_ENTRY}
local id, own, known = ARGV[1], ARGV[2], tonumber(ARGV[3])
local term, owner = read(redis.call('HGET', KEYS[1], id))
if term and owner ~= own then return 0 end
redis.call('HDEL', KEYS[1], id)
redis.call('DEL', KEYS[2])
if math.max(term or 0, known) > 1 then
  redis.call('HSET', KEYS[2], 'done', 1)
  redis.call('EXPIRE', KEYS[2], ARGV[4])
end
return 1`;

/** `<call> <own>`: nobody's, until somebody takes it. */
const RELEASE: RedisScript = `${READ_ENTRY}
local term, owner, _, role = read(redis.call('HGET', KEYS[1], ARGV[1]))
if owner ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], written(term, '-', tonumber(redis.call('TIME')[1]), role))
return 1`;

/** What of a call's events changes in Redis. */
export interface OutboxChange {
  /** It is not this runner's call: it has found its events with one that is gone. */
  readonly isCaretaker: boolean;
  /** Under which this runner owns them; 0 when it has not been told. */
  readonly term: number;
  readonly record?: CallRecord | undefined;
  readonly told?: readonly ApplicationEventType[] | undefined;
  /** With their places in the order. */
  readonly added: ReadonlyArray<readonly [place: number, kept: KeptEvent]>;
  /** Identifiers of those that are accepted. */
  readonly accepted: readonly string[];
}

export type WriteAnswer =
  | { readonly is: 'ours'; readonly term: number }
  /** Ours, and not as it was when we wrote last: it has to be read. */
  | { readonly is: 'changed'; readonly term: number }
  | { readonly is: 'others'; readonly owner: Owner }
  /** Somebody has delivered everything. */
  | { readonly is: 'done' };

/** The events of calls in Redis, as far as they are not accepted: a hash for each call. All fails with VB_CLUSTER_UNREACHABLE while it is away. */
export class OutboxStore {
  /** Which runner delivers the events of which call. */
  readonly register: OwnerRegister;
  readonly #name: readonly string[];

  /** @param url what is meant for one receiver is never sent to another */
  constructor(
    private readonly cluster: Cluster,
    url: string,
  ) {
    this.#name = ['events', fingerprintOf(url)];
    this.register = new OwnerRegister(cluster, [...this.#name, 'owners'], FORGOTTEN_S * 1_000);
  }

  /** One command, whatever has changed. */
  async write(callId: CallId, change: OutboxChange): Promise<WriteAnswer> {
    const { isCaretaker, term, record, told, added, accepted } = change;
    const set = [
      ...(record ? ['record', JSON.stringify(record)] : []),
      ...(told ? ['told', JSON.stringify(told)] : []),
      ...added.flatMap(([place, kept]) => [EVENT + kept.id, JSON.stringify([place, kept.event])]),
    ];
    const gone = accepted.map((id) => EVENT + id);
    const head = [isCaretaker ? 'c' : 'h', term, FORGOTTEN_S, set.length];
    const [is, value, role] = (await this.#ask(WRITE, callId, [...head, ...set, ...gone])) as [string, unknown, string];
    if (is === 'done') return { is };
    if (is === 'others') return { is, owner: { runnerId: String(value), isCaretaker: role === 'c' } };
    return { is: is as 'ours' | 'changed', term: Number(value) };
  }

  /** Undefined when there is nothing of this call. */
  async read(callId: CallId): Promise<OutboxState | undefined> {
    const fields = await this.cluster.redis.run((redis) => redis.hgetall(this.#keyOf(callId)));
    if (fields.told === undefined) return undefined;
    const events = Object.entries(fields)
      .filter(([name]) => name.startsWith(EVENT))
      .map(([name, text]) => {
        const [place, event] = JSON.parse(text) as [number, ApplicationEvent];
        return { place, kept: { id: name.slice(EVENT.length), event } };
      })
      .toSorted((one, other) => one.place - other.place);
    return {
      record: fields.record === undefined ? undefined : JSON.parse(fields.record),
      told: JSON.parse(fields.told),
      events: inOrder(events.map(({ kept }) => kept)),
    };
  }

  /** Everything is delivered, or dropped. */
  async remove(callId: CallId, term: number): Promise<void> {
    await this.#ask(REMOVE, callId, [term, FORGOTTEN_S]);
  }

  /** Gives the events of the call away to whoever takes them. */
  async release(callId: CallId): Promise<void> {
    await this.#ask(RELEASE, callId, []);
  }

  #ask(script: RedisScript, callId: CallId, args: ReadonlyArray<string | number>): Promise<unknown> {
    const { redis, members } = this.cluster;
    return redis.script(script, [this.register.key, this.#keyOf(callId)], [callId, members.ownId, ...args]);
  }

  #keyOf(callId: CallId): string {
    return this.cluster.redis.key(...this.#name, 'call', callId);
  }
}

/** `call.ended` is the last. */
export const inOrder = (events: readonly KeptEvent[]): KeptEvent[] => [
  ...events.filter(({ event }) => event.type !== 'call.ended'),
  ...events.filter(({ event }) => event.type === 'call.ended').slice(0, 1),
];
