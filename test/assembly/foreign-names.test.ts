import { foreignNamesIn, foreignNamesLine } from '../../src/assembly/foreign-names.js';

test.each([
  ['PLIVO_NUMBER', 'PLIVO_PHONE_NUMBER'],
  ['PLIVO_AUTHID', 'PLIVO_AUTH_ID'],
  ['PLIVO_API_URL', 'CARRIER_API_URL'],
  ['CARRIER_AUTHID', 'CARRIER_AUTH_ID'],
  ['CARRIER_TOKEN', 'CARRIER_AUTH_TOKEN'],
  ['DAILY_API_URL', 'ROOMS_API_URL'],
  ['ROOMS_APIKEY', 'ROOMS_API_KEY'],
  ['ROOMS_KEY', 'ROOMS_API_KEY'],
  ['DAILY_ROOM_URL', undefined],
  ['VONAGE_API_KEY', undefined],
])('%s is not read, and %s may be meant', (name, meant) => {
  expect(foreignNamesIn({ [name]: 'x' })).toEqual([{ name, meant }]);
});

test('what is read is not foreign, nor is what belongs to no provider', () => {
  const environment = { CARRIER_AUTH_ID: 'x', PLIVO_AUTH_TOKEN: 'x', DAILY_API_KEY: 'x', PATH: 'x', DAILYNEWS: 'x' };
  expect(foreignNamesIn(environment)).toEqual([]);
});

test('says them in one sentence, and never their values', () => {
  expect(foreignNamesLine([])).toBeUndefined();
  const names = foreignNamesIn({ VONAGE_API_KEY: 'secret', PLIVO_NUMBER: 'secret', DAILY_ROOM_URL: 'secret' });
  expect(foreignNamesLine(names)).toBe(
    'voicebot does not read VONAGE_API_KEY, PLIVO_NUMBER (did you mean PLIVO_PHONE_NUMBER?) and DAILY_ROOM_URL',
  );
});
