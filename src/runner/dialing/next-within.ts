import type { CallingHours, CallingTimes } from './calling-hours.js';
import { localMinutes, localTimeOf, minutesToClockChange } from './local-time.js';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;
/** Hours come again after a week; where no moment of these days suits all, none ever will, unless single days are closed. */
const LOOK_AHEAD_DAYS = 9;
const LONGEST_LOOK_DAYS = 366;

/**
 * The first moment, from `at` on, at which it is within all of these times in every zone.
 * @param at milliseconds since the Unix epoch
 * @param zones IANA names, at least one
 * @returns `at` itself when that is within; undefined when there is none: zones too far apart, or times that exclude each other
 */
export function nextWithin(all: readonly CallingTimes[], zones: readonly string[], at: number): number | undefined {
  const isOpenEnded = all.some(({ closedOn }) => closedOn !== undefined && closedOn.size > 0);
  const until = at + (isOpenEnded ? LONGEST_LOOK_DAYS : LOOK_AHEAD_DAYS) * DAY_MINUTES * MINUTE_MS;
  for (let moment = at; moment <= until; ) {
    const minute = Math.floor(moment / MINUTE_MS);
    const waits = zones.flatMap((zone) => all.map((times) => leastWait(times, zone, minute)));
    const wait = Math.max(0, ...waits);
    if (wait === 0) return moment;
    moment = (minute + wait) * MINUTE_MS;
  }
  return undefined;
}

/** The first of these zones in which it is not within the times; undefined when it is in all. @param at as for {@link nextWithin} */
export const zoneOutside = (times: CallingTimes, zones: readonly string[], at: number): string | undefined =>
  zones.find((zone) => localWait(times, localMinutes(zone, at)) > 0);

/** How many minutes it is outside for certain; exactly, unless clocks are changed before. */
function leastWait(times: CallingTimes, zone: string, minute: number): number {
  const wait = localWait(times, localMinutes(zone, minute * MINUTE_MS));
  return wait === 0 ? 0 : minutesToClockChange(zone, minute, wait);
}

/** How many minutes the clock goes on, if it is not changed, until it is within; a week at the most. */
function localWait({ hours, closedOn }: CallingTimes, local: number): number {
  for (let moment = local; moment < local + WEEK_MINUTES; ) {
    const { weekday, date, minute } = localTimeOf(moment);
    const isClosed = closedOn?.has(date) || closedOn?.has(date.slice(5));
    const next = isClosed ? undefined : nextOfDay(hours, weekday, minute);
    if (next !== undefined) return moment + next - minute - local;
    moment += DAY_MINUTES - minute;
  }
  return WEEK_MINUTES;
}

function nextOfDay(all: readonly CallingHours[], weekday: number, minute: number): number | undefined {
  const ofDay = all.filter(({ days, to }) => minute < to && (days === undefined || days.includes(weekday)));
  return ofDay.length === 0 ? undefined : Math.min(...ofDay.map(({ from }) => Math.max(from, minute)));
}
