import { timeZonesOfNumber } from '../../../src/runner/dialing/callee-zones.js';
import { parseCallingHours } from '../../../src/runner/dialing/calling-hours.js';
import { isTimeZone } from '../../../src/runner/dialing/local-time.js';
import { nextWithin } from '../../../src/runner/dialing/next-within.js';

const at = (iso: string) => Date.parse(iso);
const next = (hours: string, zones: readonly string[], from: string) => {
  const moment = nextWithin([{ hours: [parseCallingHours(hours)] }], zones, at(from));
  return moment === undefined ? undefined : new Date(moment).toISOString();
};

test.each([
  ['9-18', { from: 540, to: 1_080 }],
  ['9:30-17:00', { from: 570, to: 1_020 }],
  ['0-24', { from: 0, to: 1_440 }],
])('reads %s', (text, hours) => {
  expect(parseCallingHours(text)).toEqual(hours);
});

test.each(['18-9', '9-9', '9', '9-25', '9:60-18', '22-6', 'nine to six'])('refuses %s', (text) => {
  expect(() => parseCallingHours(text)).toThrow(/must/);
});

test('within the hours it is now, at the beginning included and at the end not', () => {
  expect(next('9-18', ['Europe/Berlin'], '2026-01-15T08:00:00.000Z')).toBe('2026-01-15T08:00:00.000Z');
  expect(next('9-18', ['Europe/Berlin'], '2026-01-15T07:59:30.000Z')).toBe('2026-01-15T08:00:00.000Z');
  expect(next('9-18', ['Europe/Berlin'], '2026-01-15T17:00:00.000Z')).toBe('2026-01-16T08:00:00.000Z');
});

test('the night in which clocks change makes the wait an hour shorter, or longer', () => {
  expect(next('9-18', ['Europe/Berlin'], '2026-03-28T20:00:00.000Z')).toBe('2026-03-29T07:00:00.000Z');
  expect(next('9-18', ['Europe/Berlin'], '2026-10-24T20:00:00.000Z')).toBe('2026-10-25T08:00:00.000Z');
  expect(next('9-18', ['America/New_York'], '2026-03-08T02:00:00.000Z')).toBe('2026-03-08T13:00:00.000Z');
});

test('hours that a change of clocks leaves out are those of the next day', () => {
  expect(next('2:10-2:50', ['Europe/Berlin'], '2026-03-29T00:30:00.000Z')).toBe('2026-03-30T00:10:00.000Z');
});

test('of several zones all are within the hours', () => {
  const coasts = ['America/New_York', 'America/Los_Angeles'];
  expect(next('9-18', coasts, '2026-01-15T14:30:00.000Z')).toBe('2026-01-15T17:00:00.000Z');
  expect(next('9-18', coasts, '2026-01-15T22:59:00.000Z')).toBe('2026-01-15T22:59:00.000Z');
  expect(next('9-18', coasts, '2026-01-15T23:00:00.000Z')).toBe('2026-01-16T17:00:00.000Z');
});

test('zones that have no such hours in common never are', () => {
  expect(next('9-12', ['Europe/London', 'Asia/Tokyo'], '2026-01-15T09:00:00.000Z')).toBeUndefined();
});

test.each([
  ['+12025550102', ['America/New_York']],
  ['+13105550102', ['America/Los_Angeles']],
  ['+491511234567', ['Europe/Berlin']],
  ['+442071234567', ['Europe/London']],
  ['+912212345678', ['Asia/Calcutta']],
])('a number of one area is in its zone: %s', (number, zones) => {
  expect(timeZonesOfNumber(number)).toEqual(zones);
});

test('a number that may be anywhere in its country is in all of its zones', () => {
  expect(timeZonesOfNumber('+79161234567').length).toBeGreaterThan(8);
  expect(timeZonesOfNumber('+61412345678')).toContain('Australia/Perth');
  expect(timeZonesOfNumber('+61412345678')).toContain('Australia/Sydney');
});

test('all zones of the table are known to this machine', () => {
  const numbers = ['+1', '+7', '+20', '+44', '+52', '+55', '+61', '+62', '+64', '+81', '+86', '+91', '+234', '+971'];
  for (const zone of numbers.flatMap(timeZonesOfNumber)) expect([zone, isTimeZone(zone)]).toEqual([zone, true]);
});

test('an offset is no time zone, since it knows nothing of summer time', () => {
  expect(isTimeZone('Europe/Berlin')).toBe(true);
  for (const name of ['+02:00', 'Berlin', '', 'Mars/Olympus']) expect(isTimeZone(name)).toBe(false);
  for (const name of ['US/Eastern', 'America/Argentina/Ushuaia', 'Asia/Calcutta']) expect(isTimeZone(name)).toBe(true);
  for (const name of 'BST EST MST GMT AST SST CST PST CET IST EST5EDT UTC Etc/UTC Etc/GMT-5 SystemV/EST5 GB'.split(' '))
    expect([name, isTimeZone(name)]).toEqual([name, false]);
});
