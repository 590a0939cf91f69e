/** Without what several words are joined by, in one case: `dialPerMinute` and `DIAL_PER_MINUTE` are the same. */
const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '');

/** Of how many letters one may be wrong, left out, added, or have changed places with the next. */
const LETTERS_PER_MISTAKE = 4;

/**
 * The name that was probably meant by one that does not exist, for "did you mean …?".
 * @returns undefined when none is similar: more than a quarter of its letters would have to be mistakes
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  const [best] = known
    .map((candidate) => ({ candidate, mistakes: mistakesBetween(letters, lettersOf(candidate)) }))
    .filter(({ candidate, mistakes }) => mistakes * LETTERS_PER_MISTAKE <= Math.max(letters.length, candidate.length))
    .sort((a, b) => a.mistakes - b.mistakes);
  return best?.candidate;
}

/** The optimal string alignment distance: edits and swaps of neighbours, none of them edited twice. */
function mistakesBetween(a: string, b: string): number {
  return lastRow(a, b, (column) => column).at(-1) ?? 0;
}

/** The same for the part of `b` that is most like `a`. @see Sellers, The theory and computation of evolutionary distances, 1980 */
function mistakesWithin(a: string, b: string): number {
  return Math.min(...lastRow(a, b, () => 0));
}

/** @param first what it costs to leave out so many letters at the beginning of `b` */
function lastRow(a: string, b: string, first: (letters: number) => number): number[] {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => first(column))];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, isSwap ? at(i - 2, j - 2) + 1 : changed));
    }
  }
  return rows[a.length] ?? [];
}

/**
 * The names in which something like these words stands, the likeliest first: whatever the rest of a name is.
 * @param most at most so many
 */
export function nearestNames(words: string, names: readonly string[], most: number): string[] {
  const letters = lettersOf(words);
  return names
    .map((name) => ({ name, mistakes: mistakesWithin(letters, lettersOf(name)) }))
    .toSorted((a, b) => a.mistakes - b.mistakes)
    .slice(0, most)
    .map(({ name }) => name);
}
