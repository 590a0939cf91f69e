import { closestName } from '../closest-name.js';

/**
 * Helps somebody who has written a name that nobody knows.
 * @returns the end of a sentence: the one that was probably meant, else all that there are
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = closestName(name, known);
  return meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
}
