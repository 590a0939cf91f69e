import { amountText, type Micros, microsOf, moneyText } from '../base/money.js';
import { SERVICE_KINDS } from './service-name.js';
import type { ServiceUnit } from './usage.js';

/**
 * What is paid by its time: `carrier`, the minutes of a leg; `media_stream`, those of the stream of its sound; `room`, those of the
 * participants of a room.
 */
export const LEG_SERVICES = ['carrier', 'media_stream', 'room'] as const;
/** One of these words. */
export type LegService = (typeof LEG_SERVICES)[number];
export const isLegService = (service: string): service is LegService => LEG_SERVICES.some((leg) => leg === service);

/** What is paid for in a call. */
export const PAID_SERVICES = [...LEG_SERVICES, ...SERVICE_KINDS] as const;
/** One of these words. */
export type PaidService = (typeof PAID_SERVICES)[number];

/** Which way a leg goes: `transfer`, to the destination of a transfer. */
export const LEG_DIRECTIONS = ['inbound', 'outbound', 'transfer'] as const;
/** One of these words. */
export type LegDirection = (typeof LEG_DIRECTIONS)[number];

/** One thing that is paid for; plain JSON. */
export interface CostPart {
  readonly service: PaidService;
  /** Whose it is: name of the carrier, the room provider, or the vendor of the service. */
  readonly provider: string;
  /** Of a service. */
  readonly model?: string | undefined;
  /** Of a leg. */
  readonly direction?: LegDirection | undefined;
  /** Of `carrier`: whom the leg goes to, E.164 or a `sip:` address. */
  readonly to?: string | undefined;
  /** As they were used; where a leg is paid by started minutes, as long as it was. */
  readonly units: number;
  readonly unit: ServiceUnit;
  /** A decimal number such as `0.0135`, to six places. Missing: there is no price for it. */
  readonly amount?: string | undefined;
  /** The service has not told the units: they are estimated. */
  readonly isEstimated?: true | undefined;
}

/** What a call has cost, or has cost so far, by the user's prices: an estimate, and no bill; plain JSON. */
export interface CallCost {
  /** ISO 4217. */
  readonly currency: string;
  /** A decimal number such as `0.0135`, to six places: the sum of the parts that have a price. */
  readonly amount: string;
  /** There is a price for every part, and no part is missing. */
  readonly isComplete: boolean;
  readonly parts: readonly CostPart[];
}

/** What several calls have cost; plain JSON. */
export interface CostSum {
  /** ISO 4217. */
  readonly currency: string;
  /** As of {@link CallCost}. */
  readonly amount: string;
  readonly isComplete: boolean;
  /** How many calls have a cost. */
  readonly calls: number;
}

/** The amount of a call or of calls, in millionths; 0 for what is no amount. */
export const microsOfCost = ({ amount }: Pick<CallCost, 'amount'>): Micros => microsOf(amount) ?? 0;

/** Adds up what calls have cost; those without a cost, and those in another currency than the first, are left out and make it incomplete. */
export class CostTotal {
  #currency: string | undefined;
  #micros: Micros = 0;
  #calls = 0;
  #isComplete = true;

  add(cost: Omit<CallCost, 'parts'> | undefined): void {
    this.#currency ??= cost?.currency;
    if (!cost?.isComplete || cost.currency !== this.#currency) this.#isComplete = false;
    if (!cost || cost.currency !== this.#currency) return;
    this.#micros += microsOfCost(cost);
    this.#calls += 1;
  }

  /** Undefined where no call has a cost. */
  get sum(): CostSum | undefined {
    if (this.#currency === undefined) return undefined;
    const [currency, amount] = [this.#currency, amountText(this.#micros)];
    return { currency, amount, isComplete: this.#isComplete, calls: this.#calls };
  }
}

/** @see CostTotal */
export function sumOfCosts(costs: readonly (Omit<CallCost, 'parts'> | undefined)[]): CostSum | undefined {
  const total = new CostTotal();
  for (const cost of costs) total.add(cost);
  return total.sum;
}

/** For people: `$0.0135`, or `at least $0.0135` where something has no price. */
export function costText({ currency, amount, isComplete }: Omit<CallCost, 'parts'>): string {
  return `${isComplete ? '' : 'at least '}${moneyText(currency, amount)}`;
}

/** What has no price, for people: `OpenAI gpt-5 (input_token)`, each once. */
export function unpricedIn({ parts }: Pick<CallCost, 'parts'>): string[] {
  const without = parts.filter(({ amount }) => amount === undefined);
  return [...new Set(without.map((part) => `${partText(part)} (${part.unit})`))];
}

/** A part, for people: what is paid for, how much of it was used, and what that costs. @param currency ISO 4217 */
export function partCells(part: CostPart, currency: string): readonly [what: string, units: string, amount: string] {
  const { units, unit, amount, isEstimated } = part;
  const used = `${isEstimated ? 'about ' : ''}${units} ${unit.replaceAll('_', ' ')}${units === 1 ? '' : 's'}`;
  return [partText(part), used, amount === undefined ? 'no price' : moneyText(currency, amount)];
}

/** What is paid for, for people: `OpenAI gpt-5`, `twilio carrier outbound`. */
function partText({ service, provider, model, direction }: CostPart): string {
  return [provider, isLegService(service) && service.replace('_', ' '), model, direction].filter(Boolean).join(' ');
}
