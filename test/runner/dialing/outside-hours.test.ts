import { readCallingRules } from '../../../src/config/calling-rules-file.js';
import { CalleeHours } from '../../../src/runner/dialing/callee-hours.js';
import { type CallingRuleTable, NO_CALLING_RULES } from '../../../src/runner/dialing/calling-rules.js';
import { loadNumberingPlans, possibleCountries } from '../../../src/runner/dialing/dial-target.js';
import { hoursCheck, OutsideHoursError } from '../../../src/runner/dialing/outside-hours.js';

beforeAll(loadNumberingPlans);

const shipped = readCallingRules();

/** What a call at this moment is refused with; undefined when it is placed. */
function refusal(
  phoneNumber: string,
  iso: string,
  { timeZone, table = shipped }: { timeZone?: string; table?: CallingRuleTable } = {},
) {
  const check = hoursCheck(new CalleeHours(table), () => Date.parse(iso));
  try {
    check({ phoneNumber, timeZone });
    return undefined;
  } catch (error) {
    if (!(error instanceof OutsideHoursError)) throw error;
    return error;
  }
}

test('a refusal has the time there, the rule with its source, when it may be called, and how to change that', () => {
  const error = refusal('+33612345678', '2026-11-29T20:34:00Z');
  expect(error).toMatchObject({
    code: 'VB_OUTSIDE_CALLING_HOURS',
    isOfNumber: true,
    retryAfterS: 12 * 3_600 + 26 * 60,
  });
  expect(error?.message).toBe(
    'The callee may not be called at this hour: it is Sun 2026-11-29 21:34 in Europe/Paris, and callees in FR are called ' +
      'mon-fri 10:00-13:00, mon-fri 14:00-20:00 only (Code de la consommation, art. D. 223-9 (décret n° 2022-1313), ' +
      'https://www.legifrance.gouv.fr/jorf/id/JORFTEXT000046421823); it may be called from Mon 2026-11-30 10:00 in Europe/Paris on',
  );
  expect(error?.hint).toMatch(/^call again then; the file that VOICEBOT_CALLING_RULES names/);
});

test.each([
  ['+33612345678', '2026-11-30T09:00:00Z', true],
  ['+33612345678', '2026-11-30T08:59:59Z', false],
  ['+33612345678', '2026-11-30T12:00:00Z', false],
  ['+34612345678', '2026-11-30T19:59:00Z', true],
  ['+34612345678', '2026-11-30T20:00:00Z', false],
  ['+34612345678', '2026-11-28T11:00:00Z', false],
  ['+390612345678', '2026-11-28T11:00:00Z', true],
  ['+390612345678', '2026-11-29T11:00:00Z', false],
  ['+12125550101', '2026-11-29T13:00:00Z', true],
  ['+12125550101', '2026-11-29T12:59:00Z', false],
  ['+12125550101', '2026-11-30T02:00:00Z', false],
  ['+14165550101', '2026-11-29T14:59:00Z', false],
  ['+14165550101', '2026-11-29T15:00:00Z', true],
  ['+61212345678', '2026-11-28T06:00:00Z', false],
  ['+61212345678', '2026-11-28T05:59:00Z', true],
  ['+27821234567', '2026-11-28T11:00:00Z', false],
  ['+27821234567', '2026-11-28T10:59:00Z', true],
  ['+491511234567', '2026-11-29T02:00:00Z', true],
  ['+442071234567', '2026-11-29T02:00:00Z', true],
] as const)('%s at %s: called %s', (number, iso, isCalled) => {
  expect(refusal(number, iso) === undefined).toBe(isCalled);
});

test('of several countries in which a number may be the rules of each hold, and in all of its zones', () => {
  expect(possibleCountries('+15555550123')).toEqual(['US', 'CA']);
  expect(possibleCountries('+18005550123')).toEqual(expect.arrayContaining(['US', 'CA', 'DO', 'JM']));
  expect(possibleCountries('+12025550101')).toEqual(['US']);
  expect(possibleCountries('+80012345678')).toEqual([]);
  // A Saturday: 18:30 is too late for Canada, and fine for the United States.
  expect(refusal('+15555550123', '2026-11-28T23:30:00Z', { timeZone: 'America/New_York' })?.message).toContain('in CA');
  expect(refusal('+12025550101', '2026-11-28T23:30:00Z')).toBeUndefined();
  expect(refusal('+18005550123', '2026-11-30T15:00:00Z')?.message).toMatch(
    /it is \w{3} 2026-\S+ \d\d:\d\d in (America|Pacific)/,
  );
});

test('the zone that a request names counts for that of the number', () => {
  expect(refusal('+12125550101', '2026-11-29T14:00:00Z', { timeZone: 'America/Los_Angeles' })?.message).toContain(
    '06:00 in America/Los_Angeles',
  );
  expect(refusal('+12125550101', '2026-11-29T12:30:00Z', { timeZone: 'Europe/Berlin' })).toBeUndefined();
});

test('a rule for a country whose zones have no such hours in common asks for the zone', () => {
  const rule = {
    country: 'RU',
    appliesTo: 'calls',
    times: { hours: [{ from: 540, to: 660 }] },
    publicHolidays: 'allowed',
  } as const;
  const table = { ...NO_CALLING_RULES, rules: [{ ...rule, file: 'rules.yaml' }] };
  const error = refusal('+79161234567', '2026-11-30T15:00:00Z', { table });
  expect(error?.message).toMatch(
    /\(the rule of rules\.yaml\); the \d+ time zones in which this number may be have no such hours in common$/,
  );
  expect(error?.hint).toMatch(/^give the time zone with the request; /);
  expect(error?.retryAfterS).toBeUndefined();
});

test('a rule that is switched off, and a table that is, refuse nothing', () => {
  const others = shipped.rules.filter(({ country }) => country !== 'FR');
  const night = '2026-11-29T02:00:00Z';
  expect(
    refusal('+33612345678', night, { table: { rules: others, switchedOff: [{ country: 'FR', off: 'by consent' }] } }),
  ).toBeUndefined();
  expect(refusal('+33612345678', night, { table: { ...shipped, allOff: 'by consent' } })).toBeUndefined();
  expect(refusal('+33612345678', night, { table: NO_CALLING_RULES })).toBeUndefined();
});
