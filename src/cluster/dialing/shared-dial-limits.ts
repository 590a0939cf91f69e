import { createHmac } from 'node:crypto';
import type { Micros } from '../../base/money.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import { type AdmittedCall, AdmittedCalls } from '../../runner/dialing/admitted-calls.js';
import {
  type DialGate,
  type DialLimitError,
  type DialSlot,
  type MovedPlace,
  numberTooSoon,
  type SetDialLimits,
  tooFewMinutes,
  tooManyAtOnce,
  tooManyInMinute,
} from '../../runner/dialing/dial-limits.js';
import { type MoneyLimit, microsSpent, mostOf, tooLittleMoney } from '../../runner/dialing/dialled-money.js';
import type { Cluster } from '../members/cluster.js';
import { RewrittenState } from '../members/rewritten-state.js';
import type { RedisLink } from '../redis/redis-link.js';
import { ADMIT, type AdmitAnswer, REWRITE, SETTLE, SPEND } from './shared-dial-scripts.js';

const MINUTE_MS = 60_000;
/** Calls that are written again in one script; Redis does nothing else meanwhile. */
const REWRITTEN_AT_ONCE = 500;

export interface SharedDialLimitsOptions {
  readonly cluster: Cluster;
  readonly limits: SetDialLimits;
  /** Money of a day. Default: any amount. */
  readonly money?: MoneyLimit | undefined;
  /** The longest that one call may last, in whole minutes. */
  readonly minutesPerCall: number;
  /** After so many milliseconds a call counts as over, for want of a runner that says so. */
  readonly slotMs: number;
  /** The same for every runner of the cluster: a reader of Redis who lacks it cannot tell which numbers were called. */
  readonly secret: string;
  /** As for `RewrittenState`. */
  readonly rewriteMs?: number | undefined;
  /** Monotonic milliseconds. Default: those of this process. */
  readonly now?: () => number;
}

/** What is to be given back to Redis. */
interface Settlement {
  readonly callId: CallId;
  readonly number: string | undefined;
  readonly minutes: number;
  readonly as: 'over' | 'undone';
}

/**
 * Counts the dialled calls of all runners of a cluster, in Redis and by its clock; a day is one of UTC. What this runner was
 * admitted for it also keeps in memory, and writes it again for a Redis that has lost it.
 */
export class SharedDialLimits implements DialGate {
  readonly #redis: RedisLink;
  readonly #state: RewrittenState;
  readonly #own: AdmittedCalls;
  readonly #numberKey: Buffer;
  /** What Redis has not been told yet. */
  readonly #owed = new Map<CallId, Settlement>();
  readonly #settling = new Set<Promise<void>>();
  /** What calls have cost, of which Redis has not been told. */
  readonly #unspent = new Map<CallId, Micros>();

  constructor(private readonly options: SharedDialLimitsOptions) {
    const { cluster, limits, slotMs, secret, rewriteMs, now = () => performance.now() } = options;
    this.#redis = cluster.redis;
    this.#numberKey = createHmac('sha256', secret).update('voicebot dialled number').digest();
    this.#own = new AdmittedCalls({ spacingMs: limits.secondsPerNumber * 1_000, slotMs, now });
    this.#state = new RewrittenState({ cluster, name: 'dial', write: () => this.#rewrite(), rewriteMs });
  }

  async admit(to: string, callId: CallId): Promise<DialSlot> {
    const { perMinute, atOnce, secondsPerNumber, minutesPerDay } = this.options.limits;
    const { minutesPerCall, slotMs, money } = this.options;
    const micros = money ? mostOf(money, to) : 0;
    const number = createHmac('sha256', this.#numberKey).update(to).digest('base64url');
    const limits = [perMinute, atOnce, secondsPerNumber * 1_000, slotMs, minutesPerDay ?? -1, minutesPerCall];
    const ofMoney = [money?.perDay ?? -1, micros];
    let answer: AdmitAnswer;
    try {
      answer = (await this.#state.script(ADMIT, this.#keysOf(number), [callId, ...limits, ...ofMoney])) as AdmitAnswer;
    } catch (error) {
      // Where the answer got lost, Redis may have counted the call.
      if ((error as Error).cause !== undefined) this.#settle({ callId, number, minutes: 0, as: 'undone' });
      throw error;
    }
    if (answer[0] !== 'admitted') throw this.#refusal(answer, micros);
    const day = minutesPerDay === undefined && !money ? undefined : answer[1];
    return this.#slot(this.#own.add(callId, { number, day, minutes: minutesPerCall, micros }));
  }

  /** Told by the runner that has the call at its end, which may not be the one that has dialled it. */
  settled(record: CallRecord): void {
    const { money } = this.options;
    if (!money) return;
    money.most.see(record);
    if (record.direction !== 'outbound') return;
    const micros = microsSpent(record);
    const own = this.#own.get(record.id);
    if (own) own.micros = micros;
    this.#unspent.set(record.id, micros);
    this.#tellWhenWritten(() => this.#tellSpent(record.id, micros));
  }

  slotOf(callId: CallId, moved?: MovedPlace): DialSlot {
    const { number, day, minutes = 0, micros = 0, admittedAt = Date.now() } = moved ?? {};
    const ageMs = Math.max(0, Date.now() - admittedAt);
    return this.#slot(this.#own.get(callId) ?? this.#own.add(callId, { number, day, minutes, micros }, ageMs));
  }

  placeOf(callId: CallId): MovedPlace | undefined {
    const call = this.#own.get(callId);
    if (!call) return undefined;
    const { number, day, minutes, micros } = call;
    return { number, day, minutes, micros, admittedAt: Date.now() - this.#own.ageOf(call) };
  }

  letGo(callId: CallId): void {
    this.#own.delete(callId);
  }

  async close(): Promise<void> {
    await Promise.all(this.#settling);
    this.#state.close();
  }

  #refusal(answer: Exclude<AdmitAnswer, ['admitted', number]>, micros: Micros): DialLimitError {
    const { perMinute, atOnce, secondsPerNumber, minutesPerDay: perDay = 0 } = this.options.limits;
    const perCall = this.options.minutesPerCall;
    if (answer[0] === 'number') return numberTooSoon(secondsPerNumber, answer[1]);
    if (answer[0] === 'at_once') return tooManyAtOnce(atOnce);
    if (answer[0] === 'minute') return tooManyInMinute(perMinute, answer[1]);
    const { money } = this.options;
    if (answer[0] === 'money' && money) return tooLittleMoney(money, answer[1], micros, answer[2]);
    return tooFewMinutes({ perDay, perCall }, answer[1], answer[2]);
  }

  #slot(call: AdmittedCall): DialSlot {
    const { callId, number } = call;
    let isUndone = false;
    const release = (talkedMs = 0) => {
      if (!call.isLive) return;
      call.isLive = false;
      call.minutes = Math.ceil(talkedMs / MINUTE_MS);
      this.#settle({ callId, number, minutes: call.minutes, as: 'over' });
    };
    const undo = () => {
      if (isUndone) return;
      isUndone = true;
      call.isLive = false;
      this.#own.delete(callId);
      this.#settle({ callId, number, minutes: 0, as: 'undone' });
    };
    return { release, undo };
  }

  /** Never throws: what Redis cannot be told now it is told when it is back. */
  #settle(settlement: Settlement): void {
    this.#owed.set(settlement.callId, settlement);
    this.#tellWhenWritten(() => this.#tell(settlement));
  }

  #tellWhenWritten(tell: () => Promise<void>): void {
    const settling = this.#state.written
      .then(tell)
      .catch(() => {}) // it is owed
      .finally(() => this.#settling.delete(settling));
    this.#settling.add(settling);
  }

  async #tell(settlement: Settlement): Promise<void> {
    const { callId, number = '', minutes, as } = settlement;
    if (this.#owed.get(callId) !== settlement) return; // told already
    await this.#redis.script(SETTLE, this.#keysOf(number), [callId, minutes, as]);
    if (this.#owed.get(callId) === settlement) this.#owed.delete(callId);
  }

  async #tellSpent(callId: CallId, micros: Micros): Promise<void> {
    if (this.#unspent.get(callId) !== micros) return; // told already
    await this.#redis.script(SPEND, this.#names().money, [callId, micros]);
    this.#unspent.delete(callId);
  }

  async #rewrite(): Promise<void> {
    await Promise.all([...this.#owed.values()].map((settlement) => this.#tell(settlement)));
    await Promise.all([...this.#unspent].map((spent) => this.#tellSpent(...spent)));
    const calls = this.#own.list();
    for (let first = 0; first < calls.length; first += REWRITTEN_AT_ONCE) {
      await this.#rewriteCalls(calls.slice(first, first + REWRITTEN_AT_ONCE));
    }
  }

  async #rewriteCalls(calls: readonly AdmittedCall[]): Promise<void> {
    const { slots, recent, minutes, money, numberKey } = this.#names();
    const numbers = calls.map(({ number = '' }) => numberKey(number));
    const fields = calls.flatMap((call) => {
      const { ageMs, slotMs, numberMs } = this.#own.remainingOf(call);
      return [call.callId, ageMs, Math.ceil(slotMs), Math.ceil(numberMs), call.day ?? -1, call.minutes, call.micros];
    });
    await this.#redis.script(REWRITE, [slots, recent, ...minutes, ...money, ...numbers], fields);
  }

  #keysOf(number: string): string[] {
    const { slots, recent, minutes, money, numberKey } = this.#names();
    return [slots, recent, numberKey(number), ...minutes, ...money];
  }

  #names() {
    const key = (...parts: string[]) => this.#redis.key('dial', ...parts);
    return {
      slots: key('slots'),
      recent: key('recent'),
      minutes: ['0', '1', '2'].map((day) => key('minutes', day)),
      money: ['0', '1', '2'].map((day) => key('money', day)),
      numberKey: (number: string) => key('number', number),
    };
  }
}
