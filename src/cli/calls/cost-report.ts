import { type CallCost, partCells, unpricedIn } from '../../call/call-cost.js';
import { aligned } from '../../terminal/table.js';

/** What a call has cost, part by part, under a heading; and what has no price. */
export function costReport(cost: CallCost): string[] {
  const { currency, parts } = cost;
  const rows = parts.map((part) => ['', ...partCells(part, currency)]);
  const missing = unpricedIn(cost);
  return [
    '',
    'Cost (an estimate by your prices)',
    ...aligned(rows),
    ...(missing.length > 0 ? [`  incomplete: no price for ${missing.join(', ')}`] : []),
  ];
}
