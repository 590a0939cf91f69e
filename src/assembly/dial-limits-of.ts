import { VoicebotError } from '../base/errors.js';
import { amountText, type Micros, moneyText } from '../base/money.js';
import type { Config } from '../config/config.js';
import { costOfLeg } from '../runner/costs/price-usage.js';
import { isExample, type Prices, plainName } from '../runner/costs/prices.js';
import type { SetDialLimits } from '../runner/dialing/dial-limits.js';

/** Time between two calls to one number of a real network, unless it is set. */
const SECONDS_PER_NUMBER = 60;

/** What the user pays, and whom. */
export interface PricedAccount {
  readonly prices: Prices;
  /** Name of the carrier, or of the room provider. */
  readonly provider: string;
}

/**
 * What keeps calls from costing too much; on the sandbox no real number is called and nothing is paid.
 * @throws VoicebotError VB_CONFIG_INVALID when not even one call fits into a day, and when money is to be counted without prices
 */
export function dialLimitsOf(config: Config, isSandbox: boolean, priced?: PricedAccount): SetDialLimits {
  const { dialMaxSeconds } = config;
  const minutesPerDay = isSandbox ? undefined : config.dialMinutesPerDay;
  if (minutesPerDay !== undefined && minutesPerDay * 60 < dialMaxSeconds) {
    throw new VoicebotError(
      'VB_CONFIG_INVALID',
      `with VOICEBOT_DIAL_MINUTES_PER_DAY at ${minutesPerDay} no call fits into a day, since one may take ${dialMaxSeconds} s`,
      { hint: 'Raise it, or lower VOICEBOT_DIAL_MAX_SECONDS' },
    );
  }
  const moneyPerDay = isSandbox ? undefined : config.dialMoneyPerDay;
  if (moneyPerDay !== undefined) checkMoney(moneyPerDay, config, priced);
  return {
    perMinute: config.dialPerMinute,
    atOnce: config.dialAtOnce,
    secondsPerNumber: config.dialSecondsPerNumber ?? (isSandbox ? 0 : SECONDS_PER_NUMBER),
    minutesPerDay,
    moneyPerDay,
  };
}

/** @throws VoicebotError VB_CONFIG_INVALID */
function checkMoney(perDay: Micros, { dialMaxSeconds }: Config, priced: PricedAccount | undefined): void {
  const refused = (detail: string, hint: string) =>
    new VoicebotError('VB_CONFIG_INVALID', `VOICEBOT_DIAL_MONEY_PER_DAY is set, and ${detail}`, { hint });
  if (!priced) {
    throw refused('there is no file of prices', 'Write one, and put your prices into it: npx voicebot prices init');
  }
  const { prices, provider } = priced;
  const minutes = outgoingMinutes(priced);
  if (minutes.length === 0) {
    const wanted = `an item with "provider": "${provider}", "service": "carrier" and "direction": "outbound"`;
    throw refused(`the file of prices has no minutes of ${provider} for outgoing calls`, `Add ${wanted}`);
  }
  if (minutes.some(isExample)) {
    throw refused(`the minutes of ${provider} in the file of prices are an example`, 'Replace them by what you pay');
  }
  const least = Math.min(...minutes.map((item) => costOfLeg(item, dialMaxSeconds)));
  if (least <= perDay) return;
  const [most, all] = [least, perDay].map((micros) => moneyText(prices.currency, amountText(micros)));
  throw refused(
    `no call fits into a day of ${all}, since one may cost ${most} at the least`,
    'Raise it, or lower VOICEBOT_DIAL_MAX_SECONDS',
  );
}

const outgoingMinutes = ({ prices, provider }: PricedAccount) =>
  prices.items.filter(
    (item) =>
      item.service === 'carrier' &&
      item.provider === plainName(provider) &&
      (item.direction ?? 'outbound') === 'outbound',
  );
