import { type ZonedNumber, zonesOf } from './callee-zones.js';
import type { CallingHours, CallingTimes } from './calling-hours.js';
import { type CallingRule, type CallingRuleTable, rulesOfNumber } from './calling-rules.js';
import { nextWithin, zoneOutside } from './next-within.js';

/** Why a callee may not be called at a moment. */
export interface HoursProblem {
  readonly rule: CallingRule;
  /** Where it is outside the hours; undefined when it is not known in which zone the callee is. */
  readonly zone: string | undefined;
}

/** When people may be called: by the rules of the country, and by hours of the campaign's own. */
export class CalleeHours {
  /** @param ownNumbers E.164: the user's own telephones, which no rule of a country is about */
  constructor(
    private readonly table: CallingRuleTable,
    private readonly ownNumbers: readonly string[] = [],
  ) {}

  /**
   * The first moment, from `at` on, at which the callee may be called. The numbering plans have to be loaded.
   * @param at milliseconds since the Unix epoch
   * @param own hours that hold as well, on each day
   * @returns `at` when that is now; undefined when there is none, or the zone is not known
   */
  next(callee: ZonedNumber, at: number, own?: CallingHours): number | undefined {
    const all = this.#timesOf(callee, own);
    if (all.length === 0) return at;
    const zones = zonesOf(callee);
    return zones.length === 0 ? undefined : nextWithin(all, zones, at);
  }

  /** The rule of a country that forbids to call now; undefined when none does. Parameters as for {@link next}. */
  problem(callee: ZonedNumber, at: number): HoursProblem | undefined {
    const zones = zonesOf(callee);
    for (const rule of this.#rulesOf(callee)) {
      const zone = zoneOutside(rule.times, zones, at);
      if (zone !== undefined || zones.length === 0) return { rule, zone };
    }
    return undefined;
  }

  #rulesOf({ phoneNumber }: ZonedNumber): readonly CallingRule[] {
    return this.ownNumbers.includes(phoneNumber) ? [] : rulesOfNumber(this.table, phoneNumber);
  }

  #timesOf(callee: ZonedNumber, own: CallingHours | undefined): CallingTimes[] {
    const times = this.#rulesOf(callee).map((rule) => rule.times);
    return own ? [{ hours: [own] }, ...times] : times;
  }
}
