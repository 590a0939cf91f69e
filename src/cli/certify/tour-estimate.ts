import { amountText, moneyText } from '../../base/money.js';
import { microsOfCost } from '../../call/call-cost.js';
import type { TourStep } from '../../lab/certify/tour/tour-steps.js';
import { costOfCall, PARTICIPANTS, type PaidLeg } from '../../runner/costs/price-usage.js';
import type { Prices } from '../../runner/costs/prices.js';
import type { TourNumbers } from './certify-account.js';

/** What a tour takes, about: what is said before it begins. */
export interface TourEstimate {
  readonly calls: number;
  /** From the beginning to the end. */
  readonly minutes: number;
  /** That calls go on. */
  readonly callMinutes: number;
  /** That a provider charges for, about: each call has a leg, of which begun minutes count. */
  readonly chargedMinutes: number;
  /** By the user's prices, about, for people: with sound and rooms where these have one; undefined where not every call has one. */
  readonly cost: string | undefined;
}

/** What is charged for. */
export interface PaidTour {
  readonly steps: readonly TourStep[];
  readonly isSandbox: boolean;
  readonly provider: string;
  readonly kind: 'carrier' | 'rooms';
  /** E.164; undefined where it is not known yet. */
  readonly number: string | undefined;
  readonly numbers: TourNumbers;
  readonly prices: Prices | undefined;
}

/** A person reads what is asked and finds the telephone; programs do not, and speak shorter. In seconds, for each step. */
const FINDING_S = 20;
const AROUND_S = 60;
const PROGRAM = { share: 1 / 3, aroundS: 15 };

export function estimateOf(tour: PaidTour): TourEstimate {
  const { steps, isSandbox } = tour;
  const callSeconds = sum(steps.map(({ seconds }) => seconds));
  const seconds = isSandbox
    ? callSeconds * PROGRAM.share + PROGRAM.aroundS
    : callSeconds + steps.length * FINDING_S + AROUND_S;
  return {
    calls: sum(steps.map(({ calls }) => calls)),
    minutes: Math.ceil(seconds / 60),
    callMinutes: Math.ceil(callSeconds / 60),
    chargedMinutes: sum(steps.map((step) => step.calls * Math.ceil(step.seconds / 60))),
    cost: isSandbox ? undefined : costFor(tour),
  };
}

function costFor({ steps, provider, kind, number = '', numbers, prices }: PaidTour): string | undefined {
  if (!prices || steps.length === 0) return undefined;
  const legs = steps.flatMap((step): PaidLeg[] => {
    const leg = { service: 'carrier' as const, provider, seconds: step.seconds };
    const [first, ...others] = Array.from({ length: step.calls }, () => leg);
    const called = step.needs.includes('wrong') ? numbers.wrongNumber : numbers.myNumber;
    const out = (to = '') => ({ ...leg, direction: 'outbound' as const, number: to });
    if (step.name.startsWith('call-out')) return first ? [out(called)] : [];
    return [{ ...leg, direction: 'inbound', number }, ...others.map(() => out(numbers.colleague))];
  });
  const carried = costOfCall(prices, legs, []);
  if (!carried.isComplete) return undefined;
  const media = legs.map((leg) => ({
    ...leg,
    ...(kind === 'rooms' ? { service: 'room' as const, count: PARTICIPANTS } : { service: 'media_stream' as const }),
  }));
  const micros = microsOfCost(carried) + microsOfCost(costOfCall(prices, media, []));
  return moneyText(prices.currency, amountText(micros));
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
