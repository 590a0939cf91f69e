import { amountText, costOf, type Micros } from '../../base/money.js';
import type { CallCost, CostPart, LegDirection, LegService, PaidService } from '../../call/call-cost.js';
import type { ServiceUnit, ServiceUsage } from '../../call/usage.js';
import { type PriceItem, type Prices, plainName } from './prices.js';

/** One side of a call, or of the room that it is in, as its provider is paid for it. */
export interface PaidLeg {
  readonly service: LegService;
  /** Name of the carrier, or of the room provider. */
  readonly provider: string;
  readonly direction: LegDirection;
  /** E.164 or a `sip:` address: whom it goes to. */
  readonly number: string;
  readonly seconds: number;
  /** How many of them there are, as participants of a room. Default 1. */
  readonly count?: number | undefined;
  /** When it began is not known for certain. */
  readonly isEstimated?: true | undefined;
}

/** The bot and its caller; or the caller and the destination of a transfer. */
export const PARTICIPANTS = 2;

/** What a price is looked up by. */
interface WantedPrice {
  readonly service: PaidService;
  readonly provider: string;
  readonly model?: string | undefined;
  readonly direction?: LegDirection | undefined;
  readonly number?: string | undefined;
  readonly unit: ServiceUnit;
}

/** What tokens of a kind count as where the file has no price for them: a cache makes none dearer. */
const COUNTS_AS: Partial<Record<ServiceUnit, ServiceUnit>> = {
  cached_input_token: 'input_token',
  cached_input_audio_token: 'input_audio_token',
};

/** Each of these groups of units tells all of the use: a vendor is paid by one of them. */
const WAYS: readonly (readonly ServiceUnit[])[] = [
  [
    'input_token',
    'cached_input_token',
    'cache_write_token',
    'output_token',
    'input_audio_token',
    'cached_input_audio_token',
    'output_audio_token',
  ],
  ['character'],
  ['second'],
];

/** Whether there is a price for a part of a cost, in whichever way: also for one that had none when the call was made. */
export function isPriced(prices: Prices, { service, provider, model, direction, to: number, unit }: CostPart): boolean {
  const isKnown = (one: ServiceUnit) =>
    priceOrOther(prices, { service, provider, model, direction, number, unit: one }) !== undefined;
  return isKnown(unit) || WAYS.some((units) => !units.includes(unit) && units.every(isKnown));
}

/** The price, or that of what its unit counts as. */
function priceOrOther(prices: Prices, wanted: WantedPrice): PriceItem | undefined {
  const unit = COUNTS_AS[wanted.unit];
  return priceFor(prices, wanted) ?? (unit && priceFor(prices, { ...wanted, unit }));
}

/** The price that says most about it: of the longest prefix, then of its direction, then of its model. */
function priceFor({ items }: Prices, wanted: WantedPrice): PriceItem | undefined {
  const provider = plainName(wanted.provider);
  let best: PriceItem | undefined;
  let bestRank = -1;
  for (const item of items) {
    if (item.provider !== provider || item.service !== wanted.service || item.unit !== wanted.unit) continue;
    const rank = rankOf(item, wanted);
    if (rank > bestRank) [best, bestRank] = [item, rank];
  }
  return best;
}

/** How much it says about what is wanted; -1 when it is about something else. */
function rankOf(item: PriceItem, { model = '', direction, number = '' }: WantedPrice): number {
  const { prefix = '', model: pattern, direction: itsDirection } = item;
  // a transfer is a call that goes out, unless there is a price of its own
  const isDirection =
    itsDirection === undefined ||
    itsDirection === direction ||
    (itsDirection === 'outbound' && direction === 'transfer');
  if (!isDirection || !number.startsWith(prefix)) return -1;
  if (pattern !== undefined && !isModel(pattern, model)) return -1;
  const ofDirection = itsDirection === undefined ? 0 : itsDirection === direction ? 2 : 1;
  const ofModel = pattern === undefined ? 0 : pattern.length + (pattern.endsWith('*') ? 0 : 1_000);
  return prefix.length * 1_000_000 + ofDirection * 100_000 + ofModel;
}

const isModel = (pattern: string, model: string) =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;

/** What so much time is paid as, in seconds: begun stretches count whole. */
export function paidSeconds({ rounding, minimum = 0 }: Pick<PriceItem, 'rounding' | 'minimum'>, seconds: number) {
  if (seconds <= 0) return 0;
  const least = Math.max(seconds, minimum);
  // to the millisecond, as clocks tell it: 60.0004 s are one minute
  return rounding === undefined ? least : Math.ceil(Math.round(least * 1_000) / 1_000 / rounding) * rounding;
}

/** What something has cost, by its parts. @param legs those that were answered */
export function costOfCall(prices: Prices, legs: readonly PaidLeg[], used: readonly ServiceUsage[]): CallCost {
  return sumOf(prices, [
    ...legs.map((leg) => partOfLeg(prices, leg)),
    ...used.flatMap((usage) => partsOfUsage(prices, usage)),
  ]);
}

/** @param parts with the amounts that they have */
function sumOf({ currency }: Pick<Prices, 'currency'>, parts: readonly PricedPart[]): CallCost {
  const micros = parts.reduce((sum, part) => sum + (part.micros ?? 0), 0);
  return {
    currency,
    amount: amountText(micros),
    isComplete: parts.every((part) => part.micros !== undefined),
    parts: parts.map(({ micros: own, ...part }) => ({
      ...part,
      ...(own !== undefined && { amount: amountText(own) }),
    })),
  };
}

type PricedPart = Omit<CostPart, 'amount'> & { readonly micros: Micros | undefined };

/** What so much time costs. @param count of legs that last as long */
export const costOfLeg = (item: PriceItem, seconds: number, count = 1): Micros =>
  costOf(item.price, paidSeconds(item, seconds) * count, item.per);

function partOfLeg(prices: Prices, leg: PaidLeg): PricedPart {
  const { service, provider, direction, number, seconds, count = 1, isEstimated } = leg;
  const item = priceFor(prices, { ...leg, unit: 'second' });
  const micros = item && costOfLeg(item, seconds, count);
  const units = Math.round(seconds * 1_000 * count) / 1_000;
  const to = service === 'carrier' && { to: number };
  return { service, provider, direction, ...to, units, unit: 'second', micros, ...(isEstimated && { isEstimated }) };
}

function partsOfUsage(prices: Prices, usage: ServiceUsage): PricedPart[] {
  const ways = WAYS.map((units) => partsBy(prices, usage, units)).filter((parts) => parts.length > 0);
  const priced = ways.filter((parts) => parts.every(({ micros }) => micros !== undefined));
  if (priced.length > 0) return priced.flat();
  // the way of which most is known, so that what is missing can be named
  return ways.toSorted((a, b) => knownIn(b) - knownIn(a))[0] ?? [];
}

const knownIn = (parts: readonly PricedPart[]) => parts.filter(({ micros }) => micros !== undefined).length;

function partsBy(prices: Prices, usage: ServiceUsage, units: readonly ServiceUnit[]): PricedPart[] {
  const { does: service, provider, model, isEstimated } = usage;
  return units.flatMap((unit): PricedPart[] => {
    const count = usage.units[unit];
    if (count === undefined) return [];
    const item = priceOrOther(prices, { service, provider, model, unit });
    const paid = item && unit === 'second' ? paidSeconds(item, count) : count;
    const micros = item && costOf(item.price, paid, item.per);
    const named = { service, provider, ...(model !== undefined && { model }) };
    return [{ ...named, units: Math.round(count * 1_000) / 1_000, unit, micros, ...(isEstimated && { isEstimated }) }];
  });
}

/** The most that a call to a number may cost at its provider: undefined where there is no price for it. Its media count where they have a price. */
export function mostOfCall(
  prices: Prices,
  { provider, number, seconds }: Pick<PaidLeg, 'provider' | 'number' | 'seconds'>,
): Micros | undefined {
  const leg = { provider, number, seconds, direction: 'outbound' } as const;
  const call = partOfLeg(prices, { service: 'carrier', ...leg }).micros;
  const stream = partOfLeg(prices, { service: 'media_stream', ...leg }).micros ?? 0;
  const room = partOfLeg(prices, { service: 'room', ...leg, count: PARTICIPANTS }).micros ?? 0;
  return call === undefined ? undefined : call + Math.max(stream, room);
}
