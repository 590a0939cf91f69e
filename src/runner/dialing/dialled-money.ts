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
  readonly most: Pick<MostOfCall, 'of' | 'see'>;
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
    const { most } = this.limit;
    const micros = mostOf(most, number);
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
    this.#settle(record.id, spentOn(record));
  }

  #settle(callId: CallId, micros: Micros): void {
    this.#kept.get(callId)?.settle(micros);
    this.#kept.delete(callId);
  }
}

/** What a call has cost, as far as its parts have prices. */
export const spentOn = ({ cost }: CallRecord): Micros => (cost ? microsOfCost(cost) : 0);

/** @throws DialLimitError VB_DIAL_LIMIT where nothing is known of what a call to it costs */
export function mostOf(most: Pick<MostOfCall, 'of'>, number: string): Micros {
  const micros = most.of(number);
  if (micros !== undefined) return micros;
  throw new DialLimitError(
    'the file of prices has no price for a call to this number, and VOICEBOT_DIAL_MONEY_PER_DAY is set',
    "add the carrier's price for its country to the file of prices",
    undefined,
    true,
  );
}

/** @param used of the day, or kept @param most what the call may cost @param waitMs until the next day */
export function tooLittleMoney(
  { perDay, currency }: Pick<MoneyLimit, 'perDay' | 'currency'>,
  used: Micros,
  most: Micros,
  waitMs: number,
): DialLimitError {
  const [spent, all, one] = [used, perDay, most].map((micros) => moneyText(currency, amountText(micros)));
  return new DialLimitError(
    `${spent} of the ${all} that dialled calls may cost today are spent or kept for calls, and this call may cost ${one}`,
    'raise VOICEBOT_DIAL_MONEY_PER_DAY or lower VOICEBOT_DIAL_MAX_SECONDS',
    Math.max(1, Math.ceil(waitMs / 1_000)),
  );
}
