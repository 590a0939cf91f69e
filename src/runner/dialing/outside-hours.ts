import { VoicebotError } from '../../base/errors.js';
import type { CalleeHours, HoursProblem } from './callee-hours.js';
import { type ZonedNumber, zonesOf } from './callee-zones.js';
import { hoursText } from './calling-hours.js';
import type { CallingRule } from './calling-rules.js';

const CHANGE = 'the file that VOICEBOT_CALLING_RULES names changes the rule, or switches it off with your reason';

/** A call that has to wait for the hours in which the callee may be called. */
export class OutsideHoursError extends VoicebotError {
  /** Other numbers may be called meanwhile. */
  readonly isOfNumber = true;

  /** @param retryAfterS whole seconds until it may be placed; undefined when that never is */
  constructor(
    detail: string,
    hint: string,
    readonly retryAfterS: number | undefined,
  ) {
    super('VB_OUTSIDE_CALLING_HOURS', detail, { hint });
  }
}

/**
 * The check of calling hours: people are called when the rules of their country allow it where they are.
 * @param now milliseconds since the Unix epoch
 * @returns throws {@link OutsideHoursError}
 */
export const hoursCheck =
  (hours: CalleeHours, now: () => number = Date.now): ((callee: ZonedNumber) => void) =>
  (callee) => {
    const at = now();
    const problem = hours.problem(callee, at);
    if (problem) throw outsideHours(problem, callee, hours, at);
  };

function outsideHours(
  { rule, zone }: HoursProblem,
  callee: ZonedNumber,
  hours: CalleeHours,
  at: number,
): OutsideHoursError {
  const only = `callees in ${rule.country} are called ${rule.times.hours.map(hoursText).join(', ')} only (${sourceText(rule)})`;
  if (zone === undefined) {
    const unknown = 'it is not known in which time zone this number is';
    return new OutsideHoursError(
      `${unknown}, and ${only}`,
      `give the time zone with the request; ${CHANGE}`,
      undefined,
    );
  }
  const closed = rule.times.closedOn && rule.times.closedOn.size > 0 ? ', and not on the closed days of that rule' : '';
  const there = `it is ${momentText(at, zone)}, and ${only}${closed}`;
  const next = hours.next(callee, at);
  if (next === undefined) {
    const count = zonesOf(callee).length;
    const never = `the ${count === 1 ? 'rules' : `${count} time zones in which this number may be`} have no such hours in common`;
    return new OutsideHoursError(`${there}; ${never}`, `give the time zone with the request; ${CHANGE}`, undefined);
  }
  return new OutsideHoursError(
    `${there}; it may be called from ${momentText(next, zone)} on`,
    `call again then; ${CHANGE}`,
    Math.max(1, Math.ceil((next - at) / 1_000)),
  );
}

/** What the rule is, and where it stands. */
export const sourceText = ({ source, file }: CallingRule): string =>
  source ? `${source.title}, ${source.url}` : `the rule of ${file ?? 'your file'}`;

/** `Sun 2026-11-29 21:34 in Europe/Paris`. @param at milliseconds since the Unix epoch */
export function momentText(at: number, zone: string): string {
  const day = new Date(at).toLocaleDateString('en', { timeZone: zone, weekday: 'short' });
  // In Swedish a date is written as in ISO 8601.
  const date = new Date(at).toLocaleString('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return `${day} ${date} in ${zone}`;
}
