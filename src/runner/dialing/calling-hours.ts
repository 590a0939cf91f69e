/** Days as files and messages name them; the first is day 0. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

/** Between which times of day a callee may be called, in minutes since midnight where that person is: `from` included, `to` not. */
export interface CallingHours {
  readonly from: number;
  readonly to: number;
  /** On which days, 0 to 6; 0 is Sunday. Default: on each. */
  readonly days?: readonly number[] | undefined;
}

/** When callees may be called: within any of these hours. */
export interface CallingTimes {
  readonly hours: readonly CallingHours[];
  /** On these days not at all: `2026-12-24`, or `12-24` for each year. */
  readonly closedOn?: ReadonlySet<string> | undefined;
}

const DAY_MINUTES = 24 * 60;

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
 * Reads `mon-fri`, `sat` or `sun-thu,sat`: days of the week, and from one to another.
 * @returns 0 to 6 in order, 0 is Sunday
 * @throws Error saying what is wrong
 */
export function parseDays(text: string): readonly number[] {
  const days = text.split(',').flatMap((part) => {
    const [first = '', last = first, ...more] = part.trim().toLowerCase().split('-');
    const [from, to] = [first, last].map((name) => WEEKDAYS.findIndex((day) => day === name.trim()));
    if (from === undefined || to === undefined || from < 0 || to < 0 || more.length > 0)
      throw new Error('must be days such as mon-fri or sat,sun');
    return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => (from + index) % 7);
  });
  return [...new Set(days)].toSorted((a, b) => a - b);
}

/** `mon-fri 10:00-13:00 and 14:00-20:00, sat 9:00-13:00`, by days from Monday on. */
export function hoursText(all: readonly CallingHours[]): string {
  const byDays = new Map<string, string[]>();
  const timesOn = (day: number) => all.filter(({ days }) => days === undefined || days.includes(day)).map(spanText);
  const fromMonday = WEEKDAYS.map((_, index) => (index + 1) % 7);
  let run: { first: number; last: number; times: string } | undefined;
  const close = () => {
    if (!run || run.times === '') return;
    const { first, last, times } = run;
    const days = first === last ? dayName(first) : `${dayName(first)}-${dayName(last)}`;
    byDays.set(times, [...(byDays.get(times) ?? []), days]);
  };
  for (const day of fromMonday) {
    const times = timesOn(day).join(' and ');
    if (run?.times === times) run = { ...run, last: day };
    else {
      close();
      run = { first: day, last: day, times };
    }
  }
  close();
  return [...byDays].map(([times, days]) => `${days.join(',')} ${times}`).join(', ');
}

const dayName = (day: number) => WEEKDAYS[day] ?? '';
const spanText = ({ from, to }: CallingHours) => `${clockText(from)}-${clockText(to)}`;

/** `9:05`. @param minute since midnight */
export const clockText = (minute: number): string =>
  `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
