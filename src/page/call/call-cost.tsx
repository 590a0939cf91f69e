import { moneyText } from '../../base/money.js';
import { type CallCost, costText, partText, unpricedIn } from '../../call/call-cost.js';

/** What a call has cost so far; its parts are told where the mouse rests. */
export function Cost({ cost }: { cost: CallCost }) {
  const { currency, parts } = cost;
  const missing = unpricedIn(cost);
  const told = parts.map(
    (part) =>
      `${partText(part)}: ${part.units} ${part.unit}, ${part.amount === undefined ? 'no price' : moneyText(currency, part.amount)}`,
  );
  return (
    <span title={told.join('\n')}>
      {costText(cost)}
      {missing.length > 0 && <span class="quiet"> (no price for {missing.join(', ')})</span>}
    </span>
  );
}
