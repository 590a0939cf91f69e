import { PAID_SERVICES } from '../../call/call-cost.js';
import type { CallRegistry } from '../calls/life/call-registry.js';
import type { MetricSet } from './metric-set.js';

/** Counts what calls have cost, once each is settled, and how many have something without a price. */
export function countCosts(set: MetricSet, registry: CallRegistry): void {
  const cost = set.counter(
    'cost_total',
    "What calls have cost by the user's prices, in units of the currency: an estimate.",
    {
      currency: /^[A-Z]{3}$/,
      service: PAID_SERVICES,
    },
  );
  const priced = set.counter(
    'calls_priced_total',
    'Calls whose cost was estimated, by whether everything has a price.',
    {
      complete: ['true', 'false'],
    },
  );
  registry.on('settled', ({ cost: settled }) => {
    if (!settled) return;
    priced({ complete: String(settled.isComplete) });
    for (const { service, amount } of settled.parts) {
      if (amount !== undefined) cost({ currency: settled.currency, service }, Number(amount));
    }
  });
}
