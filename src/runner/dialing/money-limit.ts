import { MostOfCall } from '../costs/most-of-call.js';
import type { LimitedRunner } from './dial-limits.js';
import { type MoneyLimit, mostOf } from './dialled-money.js';

/** How much the calls that a runner dials may cost in a day; undefined: any amount. */
export function moneyLimitOf(runner: LimitedRunner): MoneyLimit | undefined {
  const { dialLimits, prices, provider, dialMaxSeconds: maxSeconds, stateDirectory, botFile } = runner;
  const { moneyPerDay: perDay } = dialLimits;
  if (perDay === undefined || !prices) return undefined;
  const { name } = 'carrier' in provider ? provider.carrier : provider.provider;
  const most = new MostOfCall({ prices, provider: name, stateDirectory, botFile, maxSeconds });
  return { perDay, currency: prices.currency, most };
}

/** Refuses a number that no call can be paid to, whatever the day. @returns throws VoicebotError VB_DIAL_LIMIT */
export function paidTarget(runner: LimitedRunner): (number: string) => void {
  const limit = moneyLimitOf(runner);
  return (number) => {
    if (limit) mostOf(limit, number);
  };
}
