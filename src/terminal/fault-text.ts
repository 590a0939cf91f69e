import { type Fault, faultLines, placeOf } from '../base/fault/fault.js';
import type { Paint } from './output.js';

/** What code of the user's has failed with, as lines for a terminal: the message first. */
export function faultText(fault: Fault, paint: Paint): string[] {
  const [first = '', ...more] = fault.error.split('\n');
  return [`${paint.red('✖')} ${paint.red(first)}`, ...more, ...faultPlaceText(fault, paint)];
}

/** The same without the message: where it is, and the code there. */
export function faultPlaceText(fault: Fault, paint: Paint): string[] {
  const [place, failing] = [placeOf(fault), `  >`];
  return faultLines(fault).map((line) => {
    if (line.trim() === place) return paint.bold(line);
    if (line.startsWith(failing)) return line;
    if (/^ +\| +\^$/.test(line)) return line.replace('^', paint.red('^'));
    return line.trim() === fault.hint ? line : paint.dim(line);
  });
}
