import { closestName } from '../../src/base/closest-name.js';

const NAMES = ['warm', 'port', 'dialPerMinute', 'VOICEBOT_WARM', 'VOICEBOT_PORT', 'CARRIER_AUTH_ID'];

test.each([
  ['two letters have changed places', 'VOICEBOT_WRAM', 'VOICEBOT_WARM'],
  ['a letter is missing', 'prt', 'port'],
  ['a letter is too many', 'VOICEBOT_PORRT', 'VOICEBOT_PORT'],
  ['a letter is another one', 'poet', 'port'],
  ['another way to write several words', 'dial_per_minute', 'dialPerMinute'],
  ['an underscore is missing', 'CARRIER_AUTHID', 'CARRIER_AUTH_ID'],
])('finds the name that was meant: %s', (_what, name, meant) => {
  expect(closestName(name, NAMES)).toBe(meant);
});

test.each(['colour', 'VOICEBOT_GREETING', 'w', ''])('finds none for %j, which is like no other', (name) => {
  expect(closestName(name, NAMES)).toBeUndefined();
});

test('takes the nearest of several, whatever their order', () => {
  expect(closestName('ringSecond', ['singSeconds', 'ringSeconds'])).toBe('ringSeconds');
  expect(closestName('ringSecond', ['ring_second', 'ringSeconds'])).toBe('ring_second');
});
