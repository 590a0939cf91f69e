import type { CallingTimes } from './calling-hours.js';
import { possibleCountries } from './dial-target.js';

/** Where a rule is written down. */
export interface RuleSource {
  /** What it is called where it is law. */
  readonly title: string;
  /** An https address. */
  readonly url: string;
  /** The page on which its words were read, where that is another one. */
  readonly readAt?: string | undefined;
  /** The day on which it was read, `2026-11-29`. */
  readonly checked: string;
}

/** When callees of one country may be called. */
export interface CallingRule {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Which calls it is about, for people. */
  readonly appliesTo: string;
  /** By the clocks and the calendar where the callee is. */
  readonly times: CallingTimes;
  /** What it says of public holidays. voicebot knows no holidays: where they are forbidden, `times` has those that the user has listed. */
  readonly publicHolidays: 'forbidden' | 'allowed' | 'not_mentioned';
  /** Undefined for one of the user's own. */
  readonly source?: RuleSource | undefined;
  readonly note?: string | undefined;
  /** The user's file, where it is not one that comes with voicebot. */
  readonly file?: string | undefined;
}

/** A country whose rule does not hold. */
export interface RuleSwitchedOff {
  readonly country: string;
  /** The user's reason. */
  readonly off: string;
}

/** What the user can see and change. */
export interface CallingRuleTable {
  readonly rules: readonly CallingRule[];
  readonly switchedOff: readonly RuleSwitchedOff[];
  /** Why none of the rules holds; undefined where they do. */
  readonly allOff?: string | undefined;
}

/** No rule for any country: as on the sandbox. */
export const NO_CALLING_RULES: CallingRuleTable = { rules: [], switchedOff: [] };

/**
 * The rules that hold for a number: of several countries in which it may be, those of each. The numbering plans have to be loaded.
 * @param number E.164
 */
export function rulesOfNumber({ rules, allOff }: CallingRuleTable, number: string): readonly CallingRule[] {
  if (rules.length === 0 || allOff !== undefined) return [];
  const countries = possibleCountries(number);
  return rules.filter(({ country }) => countries.includes(country));
}
