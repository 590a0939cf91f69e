import { amountText, type Micros } from '../../base/money.js';
import { type CostSum, microsOfCost, sumOfCosts } from '../../call/call-cost.js';
import type { CampaignResult } from '../../call/campaign-progress.js';
import type { EndedEntry } from './campaign.js';

/** Of these nothing was placed, or it is not known: they count as complete only where no call may have rung. */
const COSTS_NOTHING: readonly EndedEntry['outcome'][] = ['failed'];

/** Adds up what the calls of a campaign have cost, one after the other. */
export class SpentSum {
  #currency: string | undefined;
  #micros: Micros = 0;
  #calls = 0;
  #isComplete = true;

  add({ cost, outcome }: EndedEntry): void {
    this.#currency ??= cost?.currency;
    if (cost && cost.currency === this.#currency) {
      this.#micros += microsOfCost(cost);
      this.#calls += 1;
    } else if (!COSTS_NOTHING.includes(outcome)) this.#isComplete = false;
    if (cost?.isComplete === false) this.#isComplete = false;
  }

  /** Nothing where no call was priced. */
  get told(): { readonly cost?: CostSum } {
    const currency = this.#currency;
    if (currency === undefined) return {};
    return { cost: { currency, amount: amountText(this.#micros), isComplete: this.#isComplete, calls: this.#calls } };
  }
}

/** What the calls of one row have cost. */
export function spentOn(ended: readonly EndedEntry[]): Pick<CampaignResult, 'cost'> {
  const sum = sumOfCosts(ended.filter(({ outcome }) => !COSTS_NOTHING.includes(outcome)).map(({ cost }) => cost));
  if (!sum) return {};
  const { calls: _, ...cost } = sum;
  return { cost };
}
