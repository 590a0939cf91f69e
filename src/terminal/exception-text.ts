import { type Exception, exceptionLines, placeOf } from '../base/exception/exception.js';
import type { Paint } from './output.js';

/** What code of the user's has failed with, as lines for a terminal: the message first. */
export function exceptionText(exception: Exception, paint: Paint): string[] {
  const [first = '', ...more] = exception.error.split('\n');
  return [`${paint.red('✖')} ${paint.red(first)}`, ...more, ...exceptionPlaceText(exception, paint)];
}

/** The same without the message: where it is, and the code there. */
export function exceptionPlaceText(exception: Exception, paint: Paint): string[] {
  const [place, failing] = [placeOf(exception), `  >`];
  return exceptionLines(exception).map((line) => {
    if (line.trim() === place) return paint.bold(line);
    if (line.startsWith(failing)) return line;
    if (/^ +\| +\^$/.test(line)) return line.replace('^', paint.red('^'));
    return line.trim() === exception.hint ? line : paint.dim(line);
  });
}
