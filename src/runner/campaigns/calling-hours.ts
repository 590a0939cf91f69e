/** Between which times of day a callee may be called, in minutes since midnight where that person is: `from` included, `to` not. */
export interface CallingHours {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** No change of clocks comes as soon as this before a callee may be called, or that does not matter. */
const SHORT_MINUTES = 10;
/** Where no moment within these suits all zones, none ever will. */
const LOOK_AHEAD_MS = 8 * DAY_MINUTES * MINUTE_MS;

/**
 * Reads `9-18` or `9:30-17:00`; 24 is midnight at the end of the day.
 * @throws Error saying what is wrong
 */
export function parseCallingHours(text: string): CallingHours {
  const [, ...parts] = /^\s*(\d{1,2})(?::(\d\d))?\s*-\s*(\d{1,2})(?::(\d\d))?\s*$/.exec(text) ?? [];
  const [fromHour, fromMinute = '0', toHour, toMinute = '0'] = parts;
  if (fromHour === undefined || toHour === undefined)
    throw new Error('must be two times of day, such as 9-18 or 9:30-17:00');
  const from = Number(fromHour) * 60 + Number(fromMinute);
  const to = Number(toHour) * 60 + Number(toMinute);
  if (Number(fromMinute) > 59 || Number(toMinute) > 59 || to > DAY_MINUTES)
    throw new Error('must be times of one day, 0:00 to 24:00');
  if (from >= to) throw new Error('must begin before they end, on the same day');
  return { from, to };
}

/**
 * The first moment, from `at` on, at which it is within the hours in every zone.
 * @param at milliseconds since the Unix epoch
 * @param zones IANA names, at least one
 * @returns `at` itself when that is within; undefined when the zones are so far apart that there is none
 */
export function nextWithin(hours: CallingHours, zones: readonly string[], at: number): number | undefined {
  let moment = at;
  for (;;) {
    const waitMinutes = Math.max(...zones.map((zone) => minutesUntilOpen(hours, minuteOfDay(zone, moment))));
    if (waitMinutes === 0) return moment;
    // Half of the way at a time: clocks may be changed before, and then the rest is shorter or longer.
    const stepMinutes = waitMinutes > SHORT_MINUTES ? waitMinutes / 2 : waitMinutes;
    moment = Math.floor(moment / MINUTE_MS + stepMinutes) * MINUTE_MS;
    if (moment - at > LOOK_AHEAD_MS) return undefined;
  }
}

function minutesUntilOpen({ from, to }: CallingHours, minute: number): number {
  if (minute >= from && minute < to) return 0;
  return minute < from ? from - minute : from + DAY_MINUTES - minute;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(zone: string, at: number): number {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    formats.set(zone, format);
  }
  const [hour = 0, minute = 0] = format.format(at).split(':').map(Number);
  return hour * 60 + minute;
}

/**
 * Whether this is the name of a time zone of a place, as IANA has it, that this machine knows. An offset or an abbreviation
 * is none: it knows nothing of summer time, and ICU takes BST for Bangladesh.
 * @see the IANA time zone database, `backward`, `etcetera`
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]+\//.test(name) || /^(?:Etc|SystemV)\//i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
