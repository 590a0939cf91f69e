import type { CountryCode, PhoneNumber, PhoneNumberType } from 'libphonenumber-js/max';
import { VoicebotError } from '../../base/errors.js';
import { normalisePhoneNumber, readPhoneNumber } from '../../call/phone-number.js';

/** Which numbers a call may be placed to. */
export interface TargetRules {
  /** Countries whose numbers may be called: ISO 3166-1 alpha-2, upper case. */
  readonly countries: readonly string[];
  /** Numbers that may be called whatever their country, E.164: the ones the configuration itself names. */
  readonly trusted: readonly string[];
}

/** Where a number belongs and what calling it means, as far as the numbering plans tell. */
interface Allocation {
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

const NO_SETTING = 'no setting allows this';
const COUNTRIES_SETTING = 'VOICEBOT_DIAL_COUNTRIES';
const NAMED_ONLY = 'only the number set as OPERATOR_NUMBER may be such a number';

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

/** Types whose calls cost more than their country suggests, or reach no person. */
const REFUSED_TYPES: Partial<Record<PhoneNumberType, string>> = {
  PREMIUM_RATE: 'premium-rate numbers are not called',
  SHARED_COST: 'shared-cost numbers are not called',
  PERSONAL_NUMBER: 'personal numbers, which forward calls at any price, are not called',
  PAGER: 'pagers are not called',
  VOICEMAIL: 'voicemail access numbers are not called',
};

/** Country codes of no country: what ITU-T E.164 calls global services and networks. */
const GLOBAL_SERVICES: Readonly<Record<string, string>> = {
  '800': 'international toll-free numbers (+800) are not called',
  '808': 'international shared-cost numbers (+808) are not called',
  '870': 'satellite telephones (+870) are not called',
  '878': 'international personal numbers (+878) are not called',
  '881': 'satellite telephones (+881) are not called',
  '979': 'international premium-rate numbers (+979) are not called',
};

const NORTH_AMERICA = '1';
/** Where North American area codes go that no country uses: new ones, and `555` of examples and films. */
const NEW_AREA_CODES: Allocation = { countries: ['US', 'CA'], types: [] };

/**
 * What the North American plan keeps for special use whether or not a number is assigned: N11 codes, the premium area
 * code and exchange, carriers' own services, Canada's satellite code and the personal area codes.
 * @see NANPA: N11 codes, 900 and 5XX-NXX resources, 976 line numbers
 */
const NORTH_AMERICAN_SERVICES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^[2-9]11/, 'emergency and other service codes (911, 411 and the like) are not called'],
  [/^(?:900|976|\d{3}976)/, 'premium-rate numbers are not called'],
  [/^(?:600|700|710)/, "satellite, carriers' and government service codes (600, 700, 710) are not called"],
  [
    /^5(?:00|2[1-9]|3[2358]|4[2-79]|5[02-46]|6[69]|7[78]|8[89])/,
    'personal numbers, which forward calls at any price, are not called',
  ],
];

const library = () => import('libphonenumber-js/max');

/** Loads the numbering plans now rather than at the first check; they take about 30 ms. */
export async function loadNumberingPlans(): Promise<void> {
  await library();
}

/**
 * Decides whether a number may be called, however it was written: what is returned is what was judged. It needs to be possible, not assigned; of an unassigned number the country and
 * the type are those of the numbers that share the longest beginning with it, so that `+1 809 …` is Dominican whether or
 * not it is assigned. Premium, satellite and emergency numbers are refused even when they are trusted.
 * @returns the number in E.164, without a national prefix that was written into it
 * @throws VoicebotError VB_REQUEST_INVALID when it is no possible E.164 number, VB_TARGET_REFUSED when it may not be called
 * @see ITU-T E.164 and the numbering plans of libphonenumber
 */
export async function checkTarget(raw: string, rules: TargetRules, field = 'phone_number'): Promise<string> {
  const written = readPhoneNumber(raw);
  const number = 'number' in written ? await parse(written.number) : undefined;
  if (!number?.isPossible()) {
    const problem = 'problem' in written ? written.problem : 'is not a possible E.164 telephone number';
    throw new VoicebotError('VB_REQUEST_INVALID', `${field} ${problem}`, {
      hint: 'write + and the country code, then digits only, such as +12025550101',
    });
  }
  const isTrusted = rules.trusted.includes(number.number);
  if (number.isNonGeographic()) return checkGlobalService(number, isTrusted);

  const { countries, types } = await allocationOf(number);
  const service = serviceReason(number);
  if (service) throw refusal(service, NO_SETTING);
  const reason = types.map((type) => REFUSED_TYPES[type]).find(Boolean);
  if (reason) throw refusal(number.isValid() ? reason : `${reason}; this one may be such a number`, NO_SETTING);
  if (countries.length === 0) throw refusal('no telephone number begins like this', NO_SETTING);
  if (isTrusted) return number.number;
  if (types.includes('UAN')) throw refusal('company access numbers of no fixed price are not called', NAMED_ONLY);
  if (countries.some((country) => rules.countries.includes(country))) return number.number;
  const allowed = rules.countries.join(',') || 'none';
  throw refusal(
    `numbers of ${countries.join(' or ')} are not among the allowed countries (${allowed})`,
    `add ${countries[0]} to ${COUNTRIES_SETTING}`,
  );
}

/** A number that a provider has told, as it would be dialled: E.164, without a national prefix; what is no number, as it is. */
export async function asDialled(told: string): Promise<string> {
  const number = await parse(normalisePhoneNumber(told));
  return number?.number ?? told;
}

/** The country a number belongs to, ISO 3166-1 alpha-2; undefined when it is no number of a country. */
export async function countryOf(e164: string): Promise<string | undefined> {
  const number = await parse(e164);
  if (!number?.isPossible() || number.isNonGeographic()) return undefined;
  return (await allocationOf(number)).countries[0];
}

async function parse(e164: string): Promise<PhoneNumber | undefined> {
  return (await library()).parsePhoneNumberFromString(e164);
}

function checkGlobalService({ number, countryCallingCode }: PhoneNumber, isTrusted: boolean): string {
  if (countryCallingCode === '800' && isTrusted) return number;
  const reason = GLOBAL_SERVICES[countryCallingCode] ?? `global networks (+${countryCallingCode}) are not called`;
  throw refusal(reason, countryCallingCode === '800' ? NAMED_ONLY : NO_SETTING);
}

/** Why a number is refused that its type alone does not give away. */
function serviceReason(number: PhoneNumber): string | undefined {
  const { countryCallingCode, nationalNumber } = number;
  if (countryCallingCode === NORTH_AMERICA) {
    const service = NORTH_AMERICAN_SERVICES.find(([range]) => range.test(nationalNumber));
    if (service) return service[1];
  }
  if (number.isValid()) return undefined;
  if (nationalNumber.length <= 6) return 'short codes are not called';
  if (/^(?:000|11\d|911|999)/.test(nationalNumber)) return 'emergency and service codes are not called';
  return undefined;
}

async function allocationOf(number: PhoneNumber): Promise<Allocation> {
  const type = number.getType();
  if (number.country && type) return { countries: [number.country], types: [type] };
  const { countryCallingCode, nationalNumber } = number;
  const ranges = (await Promise.all(number.getPossibleCountries().map(rangesOf))).flat();
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

async function rangesOf(country: CountryCode): Promise<readonly NumberRange[]> {
  const known = rangesByCountry.get(country);
  if (known) return known;
  const { Metadata } = await library();
  const metadata = new Metadata();
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

function refusal(reason: string, hint: string): VoicebotError {
  return new VoicebotError('VB_TARGET_REFUSED', reason, { hint });
}
