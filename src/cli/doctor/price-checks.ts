import type { Account } from '../../assembly/account.js';
import { providerOf } from '../../assembly/account.js';
import { dialLimitsOf } from '../../assembly/dial-limits-of.js';
import type { Config } from '../../config/config.js';
import { isExample, type Prices, readPrices } from '../../runner/costs/prices.js';
import type { Findings } from './findings.js';

/** Whether the file of prices can be used, and whether the limits of each account allow a call to be dialled. */
export function checkPrices(findings: Findings, config: Config, accounts: readonly Account[]): void {
  const { pricesFile: file } = config;
  let prices: Prices | undefined;
  try {
    prices = file === undefined ? undefined : readPrices(file);
  } catch (error) {
    findings.fail('prices', error);
    return;
  }
  if (prices) {
    const { items, currency } = prices;
    const examples = items.filter(isExample).length;
    if (examples === 0) findings.ok('prices', `${items.length} items, in ${currency}: ${file}`);
    else findings.warn('prices', `${examples} of ${items.length} items in ${file} are examples`, 'Put in what you pay');
  }
  for (const account of accounts) {
    try {
      dialLimitsOf(config, false, prices && { prices, provider: providerOf(account) });
    } catch (error) {
      findings.fail('limits', error);
      return;
    }
  }
}
