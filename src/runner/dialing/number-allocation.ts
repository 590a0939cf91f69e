import type { CountryCode, PhoneNumber, PhoneNumberType } from 'libphonenumber-js/max';

/** Where a number belongs and what calling it means, as far as the numbering plans tell. */
export interface Allocation {
  /** More than one when the plans leave it open. */
  readonly countries: readonly string[];
  readonly types: readonly PhoneNumberType[];
}

interface NumberRange {
  readonly country: string;
  readonly type: PhoneNumberType;
  /** Matches every beginning of every national number of the range. */
  readonly beginning: RegExp;
}

/** libphonenumber's plans have the range of each type; its declarations leave that out. */
interface RangePlan {
  type(name: string): { pattern(): string | undefined } | undefined;
}

/** The types a plan has ranges for. */
const RANGE_TYPES = [
  'FIXED_LINE',
  'MOBILE',
  'TOLL_FREE',
  'PREMIUM_RATE',
  'PERSONAL_NUMBER',
  'VOICEMAIL',
  'UAN',
  'PAGER',
  'VOIP',
  'SHARED_COST',
] as const satisfies readonly PhoneNumberType[];

export const NORTH_AMERICA = '1';
/** Where North American area codes go that no country uses: new ones, and `555` of examples and films. */
const NEW_AREA_CODES: Allocation = { countries: ['US', 'CA'], types: [] };

/** Toll-free codes that all countries of the North American plan share. @see NANPA: toll-free resources */
const SHARED_TOLL_FREE = /^8(?:00|33|44|55|66|77|88)/;

type NumberingPlans = typeof import('libphonenumber-js/max');

let plans: NumberingPlans | undefined;

/** Loads the numbering plans now rather than at the first check; they take about 30 ms. */
export async function loadNumberingPlans(): Promise<void> {
  plans ??= await import('libphonenumber-js/max');
}

function loaded(): NumberingPlans {
  if (!plans) throw new Error('the numbering plans are not loaded');
  return plans;
}

/** The numbering plans have to be loaded. @param e164 such as `+12025550101` */
export const parseNumber = (e164: string): PhoneNumber | undefined => loaded().parsePhoneNumberFromString(e164);

/** The country a number belongs to, ISO 3166-1 alpha-2; undefined when it is no number of a country. */
export async function countryOf(e164: string): Promise<string | undefined> {
  await loadNumberingPlans();
  const number = parseNumber(e164);
  if (!number?.isPossible() || number.isNonGeographic()) return undefined;
  return allocationOf(number).countries[0];
}

/**
 * The countries in which a telephone may be, as far as its number tells; those that share a toll-free code are all meant.
 * The numbering plans have to be loaded.
 * @param e164 such as `+12025550101`
 * @returns ISO 3166-1 alpha-2; none when it is no number of a country
 */
export function countriesOf(e164: string): readonly string[] {
  const number = parseNumber(e164);
  if (!number?.isPossible() || number.isNonGeographic()) return [];
  const isShared = number.countryCallingCode === NORTH_AMERICA && SHARED_TOLL_FREE.test(number.nationalNumber);
  return isShared ? loaded().getCountries().filter(isNorthAmerican) : allocationOf(number).countries;
}

const isNorthAmerican = (country: CountryCode) => loaded().getCountryCallingCode(country) === NORTH_AMERICA;

/** @param number as {@link parseNumber} gives it */
export function allocationOf(number: PhoneNumber): Allocation {
  const type = number.getType();
  if (number.country && type) return { countries: [number.country], types: [type] };
  const { countryCallingCode, nationalNumber } = number;
  const ranges = number.getPossibleCountries().flatMap(rangesOf);
  const shortest = countryCallingCode === NORTH_AMERICA ? 3 : 1;
  for (let length = nationalNumber.length; length >= shortest; length -= 1) {
    const beginning = nationalNumber.slice(0, length);
    const shared = ranges.filter((range) => range.beginning.test(beginning));
    if (shared.length === 0) continue;
    return {
      countries: [...new Set(shared.map(({ country }) => country))],
      types: [...new Set(shared.map((range) => range.type))],
    };
  }
  const isAreaCode = countryCallingCode === NORTH_AMERICA && /^[2-9]/.test(nationalNumber);
  return isAreaCode ? NEW_AREA_CODES : { countries: [], types: [] };
}

const rangesByCountry = new Map<CountryCode, readonly NumberRange[]>();

function rangesOf(country: CountryCode): readonly NumberRange[] {
  const known = rangesByCountry.get(country);
  if (known) return known;
  const metadata = new (loaded().Metadata)();
  metadata.selectNumberingPlan(country);
  const plan = metadata.numberingPlan as unknown as RangePlan;
  const ranges = RANGE_TYPES.flatMap((type) => {
    const pattern = plan.type(type)?.pattern();
    return pattern ? [{ country, type, beginning: beginningOf(pattern) }] : [];
  });
  rangesByCountry.set(country, ranges);
  return ranges;
}

/** Lets the text end before any of the pattern's digits; the plans' patterns are made of digits, classes and groups. */
function beginningOf(pattern: string): RegExp {
  const open = pattern.replace(/\{[\d,]+\}|\\d|\[[^\]]+\]|\d/g, (part) =>
    part.startsWith('{') ? part : `(?:${part}|$)`,
  );
  return new RegExp(`^(?:${open})$`);
}
