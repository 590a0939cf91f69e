import { moneyText } from '../../base/money.js';
import { type CallCost, type CostPart, partText, unpricedIn } from '../../call/call-cost.js';
import { aligned } from '../../terminal/table.js';

/** What a call has cost, part by part, under a heading; and what has no price. */
export function costReport(cost: CallCost): string[] {
  const { currency, parts } = cost;
  const rows = parts.map((part) => ['', partText(part), unitsText(part), amountOf(part, currency)]);
  const missing = unpricedIn(cost);
  return [
    '',
    'Cost (an estimate by your prices)',
    ...aligned(rows),
    ...(missing.length > 0 ? [`  incomplete: no price for ${missing.join(', ')}`] : []),
  ];
}

const unitsText = ({ units, unit, isEstimated }: CostPart) =>
  `${isEstimated ? 'about ' : ''}${units} ${unit.replaceAll('_', ' ')}${units === 1 ? '' : 's'}`;

const amountOf = ({ amount }: CostPart, currency: string) =>
  amount === undefined ? 'no price' : moneyText(currency, amount);
