import type { Contact } from './campaign.js';
import { timeZonesOfNumber } from './number-time-zones.js';

/** The time zones in which a callee may be: the one that is given, else those of the number. */
export const zonesOf = ({ timeZone, phoneNumber }: Pick<Contact, 'timeZone' | 'phoneNumber'>): readonly string[] =>
  timeZone === undefined ? timeZonesOfNumber(phoneNumber) : [timeZone];
