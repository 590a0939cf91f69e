import { type Exception, exceptionParts } from '../base/exception/exception.js';
import type { Paint } from './output.js';

/** What code of the user's has failed with, as lines for a terminal: the message first. */
export function exceptionText(exception: Exception, paint: Paint): string[] {
  const [first = '', ...more] = exception.error.split('\n');
  return [`${paint.red('✖')} ${paint.red(first)}`, ...more, ...exceptionPlaceText(exception, paint)];
}

/** The same without the message: where it is, and the code there. */
export function exceptionPlaceText(exception: Exception, paint: Paint): string[] {
  return exceptionParts(exception).map(([kind, line]) => {
    if (kind === 'place') return paint.bold(line);
    if (kind === 'caret') return line.replace('^', paint.red('^'));
    return kind === 'failing' || kind === 'hint' ? line : paint.dim(line);
  });
}
