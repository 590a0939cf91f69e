import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TABLE = fileURLToPath(new URL('../../../assets/number-time-zones.txt', import.meta.url));

/** Who is called, as far as it matters when. */
export interface ZonedNumber {
  /** E.164. */
  readonly phoneNumber: string;
  /** IANA name. Default: those that the number is in. */
  readonly timeZone?: string | undefined;
}

let table: Map<string, readonly string[]> | undefined;

/** The time zones in which a callee may be: the one that is given, else those of the number. */
export const zonesOf = ({ timeZone, phoneNumber }: ZonedNumber): readonly string[] =>
  timeZone === undefined ? timeZonesOfNumber(phoneNumber) : [timeZone];

/**
 * In which time zones a telephone may be, as far as its number tells: the one of its area, or all of its country.
 * @param number E.164
 * @returns IANA names; none when nothing is known of numbers that begin like this
 */
export function timeZonesOfNumber(number: string): readonly string[] {
  table ??= readTable(readFileSync(TABLE, 'utf8'));
  const digits = number.replace(/^\+/, '');
  for (let length = digits.length; length > 0; length -= 1) {
    const zones = table.get(digits.slice(0, length));
    if (zones) return zones;
  }
  return [];
}

/** One line for each set of zones, with the beginnings of the numbers that are in them. */
function readTable(text: string): Map<string, readonly string[]> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.flatMap((line) => {
      const [names = '', ...beginnings] = line.split(' ');
      const zones = names.split('&');
      return beginnings.map((beginning) => [beginning, zones] as const);
    }),
  );
}
