const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const EPOCH_WEEKDAY = 4; // 1 January 1970 was a Thursday

/** What the clocks and the calendar of a place show. */
export interface LocalTime {
  /** 0 is Sunday. */
  readonly weekday: number;
  /** `2026-12-24`. */
  readonly date: string;
  /** Since midnight as the clock shows it, 0 to 1439. */
  readonly minute: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The clock and the calendar of a zone as one number, which goes on as they do: a change of clocks makes it leap.
 * @param at milliseconds since the Unix epoch
 * @returns minutes from 1970-01-01 00:00 of that calendar on
 */
export function localMinutes(zone: string, at: number): number {
  let format = formats.get(zone);
  if (!format) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...numeric, hourCycle: 'h23' });
    formats.set(zone, format);
  }
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (format.format(at).match(/\d+/g) ?? []).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute) / MINUTE_MS;
}

/** @param local as {@link localMinutes} gives it */
export function localTimeOf(local: number): LocalTime {
  const day = Math.floor(local / DAY_MINUTES);
  return {
    weekday: (((day + EPOCH_WEEKDAY) % 7) + 7) % 7,
    date: new Date(day * DAY_MINUTES * MINUTE_MS).toISOString().slice(0, 10),
    minute: local - day * DAY_MINUTES,
  };
}

/**
 * In how many minutes clocks are changed in a zone, if that is within the next so many; else that many.
 * @param minute since the Unix epoch
 * @param within few enough that clocks are changed at most once: a week, at the most
 */
export function minutesToClockChange(zone: string, minute: number, within: number): number {
  const offsetAt = (some: number) => localMinutes(zone, some * MINUTE_MS) - some;
  const offset = offsetAt(minute);
  if (offsetAt(minute + within) === offset) return within;
  let [before, after] = [0, within];
  while (after - before > 1) {
    const middle = (before + after) >> 1;
    if (offsetAt(minute + middle) === offset) before = middle;
    else after = middle;
  }
  return after;
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
