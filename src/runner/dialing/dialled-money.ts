import { amountText, type Micros, moneyText } from '../../base/money.js';
import { microsOfCost } from '../../call/call-cost.js';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { MostOfCall } from '../costs/most-of-call.js';
import { DayLedger, type KeptAmount } from './day-ledger.js';
import { DialLimitError, type MoneyGuard } from './dial-limits.js';

/** How much dialled calls may cost in a day. */
export interface MoneyLimit {
  readonly perDay: Micros;
  /** ISO 4217. */
  readonly currency: string;
  /** What is kept for a call before it is dialled. */
  readonly most: Pick<MostOfCall, 'carried' | 'ofServices' | 'see'>;
}

export interface DialledMoneyOptions extends MoneyLimit {
  /** Absolute path of a folder for nothing else; the runners that share it share the limit. */
  readonly directory: string;
  /** As for the ledger. */
  readonly now?: (() => Date) | undefined;
}

/** Counts what the dialled calls of a day cost. @see DayLedger */
export class DialledMoney implements MoneyGuard {
  readonly #ledger: DayLedger;
  readonly #kept = new Map<CallId, KeptAmount>();

  constructor(private readonly limit: DialledMoneyOptions) {
    this.#ledger = new DayLedger({ ...limit, field: 'micros' });
  }

  keep(number: string, callId: CallId): void {
    const micros = mostOf(this.limit, number);
    const kept = this.#ledger.keep(micros);
    if ('used' in kept) throw tooLittleMoney(this.limit, kept.used, micros, kept.retryAfterS * 1_000);
    this.#kept.set(callId, kept);
  }

  undo(callId: CallId): void {
    this.#settle(callId, 0);
  }

  /** A call that this runner has not dialled is only measured. */
  settled(record: CallRecord): void {
    this.limit.most.see(record);
    this.#settle(record.id, microsSpent(record));
  }

  #settle(callId: CallId, micros: Micros): void {
    this.#kept.get(callId)?.settle(micros);
    this.#kept.delete(callId);
  }
}

/** What a call has cost, as far as its parts have prices. */
export const microsSpent = ({ cost }: CallRecord): Micros => (cost ? microsOfCost(cost) : 0);

/**
 * What is kept for a call. Its services never make it more than a whole day has: so the first call of a day passes, and says what they
 * cost now.
 * @throws DialLimitError VB_DIAL_LIMIT where nothing is known of what a call to the number costs, or its minutes alone are too dear
 */
export function mostOf({ perDay, currency, most }: MoneyLimit, number: string): Micros {
  const carried = most.carried(number);
  if (carried === undefined) {
    throw neverPaid(
      'the file of prices has no price for a call to this number, and VOICEBOT_DIAL_MONEY_PER_DAY is set',
      "add the carrier's price for its country to the file of prices",
    );
  }
  if (carried > perDay) {
    const [one, all] = [carried, perDay].map((micros) => moneyText(currency, amountText(micros)));
    throw neverPaid(`a call to this number may cost ${one}, and all dialled calls ${all} a day`, RAISE);
  }
  return Math.min(perDay, carried + most.ofServices);
}

const RAISE = 'raise VOICEBOT_DIAL_MONEY_PER_DAY or lower VOICEBOT_DIAL_MAX_SECONDS';
const neverPaid = (detail: string, hint: string) => new DialLimitError(detail, hint, undefined, true);

/** @param used of the day, or kept @param most what the call may cost @param waitMs until there may be more */
export function tooLittleMoney(
  { perDay, currency }: Pick<MoneyLimit, 'perDay' | 'currency'>,
  used: Micros,
  most: Micros,
  waitMs: number,
): DialLimitError {
  const [spent, all, one] = [used, perDay, most].map((micros) => moneyText(currency, amountText(micros)));
  return new DialLimitError(
    `${spent} of the ${all} that dialled calls may cost today are spent or kept for calls, and this call may cost ${one}`,
    RAISE,
    Math.max(1, Math.ceil(waitMs / 1_000)),
  );
}
