import { closestName } from '../closest-name.js';

/**
 * Suggests a known name in place of an unknown one.
 * @returns the end of a sentence: the name that was probably meant, else all known names
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = closestName(name, known);
  return meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
}
