import { type CallCost, costText, partCells, unpricedIn } from '../../call/call-cost.js';

/** What a call has cost so far; its parts are told where the mouse rests. */
export function Cost({ cost }: { cost: CallCost }) {
  const { currency, parts } = cost;
  const missing = unpricedIn(cost);
  const lines = parts.map((part) => {
    const [what, units, amount] = partCells(part, currency);
    return `${what}: ${units}, ${amount}`;
  });
  return (
    <span title={lines.join('\n')}>
      {costText(cost)}
      {missing.length > 0 && <span class="quiet"> (no price for {missing.join(', ')})</span>}
    </span>
  );
}
