import fc from 'fast-check';
import { type CountryCode, getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { VoicebotError } from '../../../src/base/errors.js';
import {
  checkTarget,
  countryOf,
  loadNumberingPlans,
  type TargetRules,
} from '../../../src/runner/dialing/dial-target.js';

const US: TargetRules = { countries: ['US'], trusted: [] };
const rules = (...countries: string[]): TargetRules => ({ countries, trusted: [] });

beforeAll(loadNumberingPlans);

const outcome = async (number: string, given: TargetRules): Promise<string> => {
  try {
    return await checkTarget(number, given);
  } catch (error) {
    if (error instanceof VoicebotError) return error.code;
    throw error;
  }
};

test.each([
  ['a number that is assigned', '+12025550101', 'US'],
  ['a possible number that is not assigned', '+15551234567', 'US'],
  ['the same where Canada alone is allowed', '+15551234567', 'CA'],
  ['an unassigned number of an area code in use', '+18781234567', 'US'],
  ['a toll-free number', '+18005551234', 'US'],
  ['a British mobile', '+447400123456', 'GB'],
  ['a number of fiction', '+447700900123', 'GB'],
  ['a German mobile', '+4915112345678', 'DE'],
  ['a number that starts with the digits of an emergency code and is one', '+61491570006', 'AU'],
])('calls %s: %s in %s', async (_what, number, country) => {
  expect(await checkTarget(number, rules(country))).toBe(number);
});

test('drops a national prefix that was written into the number', async () => {
  expect(await checkTarget('+4402079460000', rules('GB'))).toBe('+442079460000');
});

test.each([
  '',
  '+',
  '15551234567',
  '+1555123456',
  '+155512345678901234',
  '+15551234567;ext=1',
  '+0123456789',
  'sip:someone@example.com',
  '+999123456789',
  '+911',
  '+112',
  '+1911',
  '+19111234',
  '+44999',
  '+49112',
])('%j is no number', async (number) => {
  await expect(checkTarget(number, US)).rejects.toMatchObject({
    code: 'VB_REQUEST_INVALID',
    message: expect.stringContaining('phone_number'),
  });
});

describe('countries', () => {
  test.each([
    ['+18765551234', 'JM'],
    ['+18761234567', 'JM'],
    ['+16581234567', 'JM'],
    ['+18095551234', 'DO'],
    ['+18091234567', 'DO'],
    ['+18290000000', 'DO'],
    ['+14731234567', 'GD'],
    ['+12840000000', 'VG'],
    ['+12687999999', 'AG'],
    ['+17215999999', 'SX'],
    ['+12041234567', 'CA'],
    ['+447911123456', 'GG'],
    ['+441534912345', 'JE'],
    ['+77771234567', 'KZ'],
    ['+390669812345', 'VA'],
  ])('%s is of %s, and not of the neighbour with the same code', async (number, country) => {
    expect(await countryOf(number)).toBe(country);
    await expect(checkTarget(number, rules('US', 'GB', 'RU', 'IT'))).rejects.toMatchObject({
      code: 'VB_TARGET_REFUSED',
      message: expect.stringContaining(country),
      hint: `add ${country} to VOICEBOT_DIAL_COUNTRIES`,
    });
  });

  test('no number of an area code in the Caribbean or the Pacific is North American, assigned or not', async () => {
    const areaCodes = [
      '242 246 264 268 284 340 345 441 473 649 658 664 670 671 684 721 758 767 784 787 809 829 849 868 869 876 939',
    ].flatMap((line) => line.split(' '));
    for (const areaCode of areaCodes) {
      for (const rest of ['0000000', '1234567', '2222222', '5551234', '9999999']) {
        expect(`${areaCode}: ${await outcome(`+1${areaCode}${rest}`, rules('US', 'CA'))}`).toBe(
          `${areaCode}: VB_TARGET_REFUSED`,
        );
      }
    }
  });

  test('a trusted number is called whatever its country', async () => {
    const trusted = { countries: ['US'], trusted: ['+18765551234'] };
    expect(await checkTarget('+18765551234', trusted)).toBe('+18765551234');
    expect(await outcome('+18765551235', trusted)).toBe('VB_TARGET_REFUSED');
  });

  test('nothing is called when no country is allowed', async () => {
    expect(await outcome('+15551234567', rules())).toBe('VB_TARGET_REFUSED');
  });

  test('an example of every country is of that country', async () => {
    for (const country of getCountries()) {
      const number = getExampleNumber(country, examples);
      if (!number) throw new Error(`there is no example of ${country}`);
      expect(await countryOf(number.number)).toBe(parsePhoneNumberFromString(number.number)?.country);
    }
  });

  test.each(['+80012345678', '+881612345678', '+10551234567', 'bot', ''])('%j is of no country', async (number) => {
    expect(await countryOf(number)).toBeUndefined();
  });
});

describe('numbers that are never called, not even trusted ones', () => {
  test.each([
    ['US', '+19005551234', 'premium'],
    ['US', '+19001234567', 'premium'],
    ['US', '+19765551234', 'premium'],
    ['US', '+12029765551', 'premium'],
    ['US', '+19112345678', 'emergency'],
    ['US', '+14112345678', 'service codes'],
    ['US', '+15005550006', 'personal'],
    ['US', '+15335551234', 'personal'],
    ['US', '+15351234567', 'personal'],
    ['US', '+17001234567', 'carriers'],
    ['CA', '+16005551234', 'satellite'],
    ['US', '+10551234567', 'begins like this'],
    ['GB', '+449012345678', 'premium'],
    ['GB', '+449512345678', 'premium'],
    ['GB', '+448712345678', 'premium'],
    ['GB', '+448442345678', 'premium'],
    ['GB', '+447012345678', 'personal'],
    ['GB', '+447640123456', 'pager'],
    ['GB', '+449991234567', 'emergency'],
    ['GB', '+441121234567', 'emergency'],
    ['DE', '+49900123456', 'premium'],
    ['DE', '+4990012345', 'premium'],
    ['DE', '+49180123456', 'shared-cost'],
    ['DE', '+4911812345', 'service codes'],
    ['TK', '+6909110', 'short'],
    ['FR', '+33899123456', 'premium'],
    ['AU', '+611900123456', 'premium'],
    ['AU', '+61190012345', 'premium'],
    ['FI', '+358600123456', 'premium'],
    ['GB', '+870773111632', 'satellite'],
    ['GB', '+881612345678', 'satellite'],
    ['GB', '+88213300655', 'global'],
    ['GB', '+88331234567', 'global'],
    ['GB', '+88812345678', 'possible'],
    ['GB', '+88812345678901', 'global'],
    ['GB', '+878101234567890', 'personal'],
    ['GB', '+979123456789', 'premium'],
    ['GB', '+80812345678', 'shared-cost'],
  ])('%s %s: %s', async (country, number, reason) => {
    for (const trusted of [[], [number]]) {
      await expect(checkTarget(number, { countries: [country], trusted })).rejects.toMatchObject({
        code: reason === 'possible' ? 'VB_REQUEST_INVALID' : 'VB_TARGET_REFUSED',
        message: expect.stringContaining(reason),
        hint: expect.any(String),
      });
    }
  });
});

test.each([
  ['international toll-free', '+80012345678'],
  ['company access', '+443001234567'],
])('%s numbers are called only when they are trusted', async (_what, number) => {
  await expect(checkTarget(number, rules('GB'))).rejects.toMatchObject({
    code: 'VB_TARGET_REFUSED',
    hint: expect.stringContaining('OPERATOR_NUMBER'),
  });
  expect(await checkTarget(number, { countries: [], trusted: [number] })).toBe(number);
});

test('whatever it is given, it returns E.164 or one of its two refusals', async () => {
  const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.stringMatching(/^\+?[0-9 ().-]{0,20}$/));
  await fc.assert(
    fc.asyncProperty(anything, async (text) => {
      expect(await outcome(text, US)).toMatch(/^(\+[1-9]\d{6,14}|VB_REQUEST_INVALID|VB_TARGET_REFUSED)$/);
    }),
    { numRuns: 500 },
  );
});

test('never calls a number that is of another country or of a refused type', async () => {
  const codes = fc.constantFrom('1', '1', '1', '44', '49', '33', '39', '61', '7', '358', '212', '47', '882', '970');
  const given = fc.constantFrom('US', 'CA', 'GB', 'DE', 'FR', 'IT', 'AU', 'RU', 'FI', 'NO', 'JM');
  await fc.assert(
    fc.asyncProperty(codes, fc.stringMatching(/^\d{6,11}$/), given, async (code, digits, country) => {
      const result = await outcome(`+${code}${digits}`, rules(country));
      if (!result.startsWith('+')) return;
      const number = parsePhoneNumberFromString(result);
      expect([country, undefined]).toContain(number?.country);
      expect(number?.getPossibleCountries()).toContain(country as CountryCode);
      expect(['FIXED_LINE', 'MOBILE', 'FIXED_LINE_OR_MOBILE', 'TOLL_FREE', 'VOIP', undefined]).toContain(
        number?.getType(),
      );
    }),
    { numRuns: 2_000 },
  );
});
