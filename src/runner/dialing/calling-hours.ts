/** Days as files and messages name them; the first is day 0. */
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

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
const EACH_DAY: readonly number[] = [0, 1, 2, 3, 4, 5, 6];

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
    const [from, to] = [first, last].map((name) => (WEEKDAYS as readonly string[]).indexOf(name.trim()));
    if (from === undefined || to === undefined || from < 0 || to < 0 || more.length > 0)
      throw new Error('must be days such as mon-fri or sat,sun');
    return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => (from + index) % 7);
  });
  return [...new Set(days)].toSorted((a, b) => a - b);
}

/** `mon-fri 10:00-13:00`, as it is written in a file of rules. */
export const hoursText = ({ days = EACH_DAY, from, to }: CallingHours): string =>
  `${daysText(days)} ${clockText(from)}-${clockText(to)}`;

/** From Monday on; days that follow one another as one span. */
function daysText(days: readonly number[]): string {
  const spans: string[][] = [];
  let isOpen = false;
  for (const day of [...EACH_DAY.slice(1), 0]) {
    const name = WEEKDAYS[day] as string;
    if (!days.includes(day)) isOpen = false;
    else if (isOpen) spans.push([spans.pop()?.[0] as string, name]);
    else {
      spans.push([name]);
      isOpen = true;
    }
  }
  return spans.map((span) => span.join('-')).join(',');
}

/** `9:05`. @param minute since midnight */
const clockText = (minute: number): string => `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
