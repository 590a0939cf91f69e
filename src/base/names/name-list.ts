/** Names in one sentence: `A, B and C`. */
export const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The first of many, in one line: `A, B and 3 more`. */
export function firstFew(names: ReadonlyArray<string | number>, most: number): string {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
