import fc from 'fast-check';
import { timeZonesOfNumber } from '../../../src/runner/dialing/callee-zones.js';
import type { CallingTimes } from '../../../src/runner/dialing/calling-hours.js';
import { localMinutes, localTimeOf, minutesToClockChange } from '../../../src/runner/dialing/local-time.js';
import { nextWithin, zoneOutside } from '../../../src/runner/dialing/next-within.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const at = (iso: string) => Date.parse(iso);

/** Clocks that are changed by an hour, by half of one, by two, on the other half of the Earth, at midnight, on other days, and never. */
const ZONES = [
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Africa/Cairo',
  'America/Santiago',
  'Asia/Kathmandu',
  'Pacific/Pago_Pago',
];
const CHANGES = [
  '2026-03-08T07:00Z', // New York
  '2026-11-01T06:00Z',
  '2026-03-29T01:00Z', // Paris, Troll
  '2026-10-25T01:00Z',
  '2026-04-04T15:00Z', // Lord Howe
  '2026-10-03T15:30Z',
  '2026-04-04T14:00Z', // Auckland, Chatham
  '2026-09-26T14:00Z',
  '2026-02-15T02:00Z', // Casablanca, for Ramadan
  '2026-04-23T22:00Z', // Cairo, at midnight
  '2026-09-06T04:00Z', // Santiago, at midnight
].map((iso) => Date.parse(iso.replace('Z', ':00Z')));

const formats = new Map(
  ZONES.map((timeZone) => {
    const numeric = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
    return [timeZone, new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', ...numeric, hourCycle: 'h23' })];
  }),
);

/** Asked minute by minute, by parts that this function has from Intl itself. */
function isWithin({ hours, closedOn }: CallingTimes, zone: string, moment: number): boolean {
  const parts = (formats.get(zone) as Intl.DateTimeFormat).formatToParts(moment);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(part('weekday'));
  const minute = Number(part('hour')) * 60 + Number(part('minute'));
  if (closedOn?.has(`${part('month')}-${part('day')}`)) return false;
  return hours.some(({ days, from, to }) => (days?.includes(weekday) ?? true) && minute >= from && minute < to);
}

const hours = fc
  .tuple(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 1, max: 1_440 }), fc.subarray([0, 1, 2, 3, 4, 5, 6]))
  .filter(([from, to]) => from < to)
  .map(([from, to, days]) => ({ from, to, ...(days.length > 0 && { days }) }));
const times: fc.Arbitrary<CallingTimes> = fc.record({ hours: fc.array(hours, { minLength: 1, maxLength: 3 }) });
const nearChange = fc
  .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -2 * DAY_MS, max: DAY_MS / 2 }))
  .map(([change, away]) => change + away);

test('around changes of clocks it is the first moment within, minute by minute, in one zone and in two', () => {
  fc.assert(
    fc.property(
      fc.array(times, { minLength: 1, maxLength: 2 }),
      fc.subarray(ZONES, { minLength: 1, maxLength: 2 }),
      nearChange,
      (all, zones, moment) => {
        const found = nextWithin(all, zones, moment);
        const isOpen = (one: number) => zones.every((zone) => all.every((some) => isWithin(some, zone, one)));
        const limit = Math.min(found ?? Number.POSITIVE_INFINITY, moment + DAY_MS);
        let first = moment;
        while (first < limit && !isOpen(first)) first = Math.floor(first / MINUTE_MS + 1) * MINUTE_MS;
        if (found === undefined) expect(first).toBeGreaterThanOrEqual(limit);
        else if (found <= moment + DAY_MS) expect(first).toBe(found);
        else expect(first).toBeGreaterThanOrEqual(limit);
        if (found !== undefined) expect(isOpen(found)).toBe(true);
        for (const some of all)
          expect(zoneOutside(some, zones, moment) === undefined).toBe(
            zones.every((zone) => isWithin(some, zone, moment)),
          );
      },
    ),
    { numRuns: 40 },
  );
});

test('the clock of a place is what Intl says, at any moment', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      (zone, date) => {
        const { date: day, weekday, minute } = localTimeOf(localMinutes(zone, date.getTime()));
        const clock = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        expect(`${day} ${clock}`).toBe(
          date.toLocaleString('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }),
        );
        const name = date.toLocaleDateString('en', { timeZone: zone, weekday: 'long' });
        expect(['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][weekday]).toBe(name);
      },
    ),
    { numRuns: 200 },
  );
});

test('a change of clocks is found to the minute, and none where there is none', () => {
  const minute = at('2026-10-24T20:00:00Z') / MINUTE_MS;
  expect(minutesToClockChange('Europe/Paris', minute, 10_080)).toBe(5 * 60);
  expect(minutesToClockChange('Europe/Paris', minute, 5 * 60)).toBe(5 * 60);
  expect(minutesToClockChange('Europe/Paris', minute, 30)).toBe(30);
  expect(minutesToClockChange('Asia/Kathmandu', minute, 10_080)).toBe(10_080);
});

const next = (all: CallingTimes, zone: string, from: string) => {
  const moment = nextWithin([all], [zone], at(from));
  return moment === undefined ? undefined : new Date(moment).toISOString().slice(0, 16);
};
const FRENCH = {
  hours: [10, 14].map((from) => ({ days: [1, 2, 3, 4, 5], from: from * 60, to: from === 10 ? 780 : 1_200 })),
};

test('weekdays alone: from Friday evening it is Monday morning, across a change of clocks too', () => {
  expect(next(FRENCH, 'Europe/Paris', '2026-11-27T19:00:00Z')).toBe('2026-11-30T09:00');
  expect(next(FRENCH, 'Europe/Paris', '2026-10-23T18:00:00Z')).toBe('2026-10-26T09:00');
  expect(next(FRENCH, 'Europe/Paris', '2026-11-30T12:00:00Z')).toBe('2026-11-30T13:00'); // the hour at noon
});

test('the day of the week is that of the place', () => {
  const mondays = { hours: [{ days: [1], from: 0, to: 1_440 }] };
  expect(next(mondays, 'Pacific/Auckland', '2026-11-29T12:00:00Z')).toBe('2026-11-29T12:00'); // Monday there
  expect(next(mondays, 'Pacific/Pago_Pago', '2026-11-30T10:00:00Z')).toBe('2026-11-30T11:00'); // still Sunday there
});

test('closed days are left out, of one year or of each, and so are more of them than a week has', () => {
  const closedOn = new Set(['12-25', '2026-12-28']);
  expect(next({ ...FRENCH, closedOn }, 'Europe/Paris', '2026-12-24T20:00:00Z')).toBe('2026-12-29T09:00');
  expect(next({ ...FRENCH, closedOn }, 'Europe/Paris', '2027-12-24T20:00:00Z')).toBe('2027-12-27T09:00');
  const december = new Set(Array.from({ length: 31 }, (_, index) => `12-${String(index + 1).padStart(2, '0')}`));
  expect(next({ ...FRENCH, closedOn: december }, 'Europe/Paris', '2026-11-30T20:00:00Z')).toBe('2027-01-01T09:00');
});

test('times that exclude each other are never', () => {
  const [early, late] = [540, 1_080].map((from) => ({ hours: [{ from, to: from + 60 }] }));
  expect(
    nextWithin([early as CallingTimes, late as CallingTimes], ['Europe/Paris'], at('2026-11-30T12:00:00Z')),
  ).toBeUndefined();
});

test('a toll-free number may be in 42 zones, from Samoa to Newfoundland and Guam: together they have some hours', () => {
  const zones = timeZonesOfNumber('+18005550123');
  expect(zones.length).toBeGreaterThan(40);
  const moment = nextWithin([{ hours: [{ from: 480, to: 1_260 }] }], zones, at('2026-11-30T12:00:00Z')) as number;
  expect(new Date(moment).toISOString()).toBe('2026-11-30T22:00:00.000Z'); // 8 in Guam, 18:30 in Newfoundland
});
