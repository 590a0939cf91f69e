import { closestName, nearestNames } from '../../src/base/closest-name.js';

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

test('finds the names in which something like some words stands, whatever else is in them', () => {
  const names = ['tells the hours', 'a wrong PIN is refused', 'transfers to the operator', 'a second wrong PIN'];
  expect(nearestNames('wrnog pin', names, 2)).toEqual(['a wrong PIN is refused', 'a second wrong PIN']);
  expect(nearestNames('oprator', names, 1)).toEqual(['transfers to the operator']);
  expect(nearestNames('', ['b', 'a'], 5)).toEqual(['b', 'a']);
});
