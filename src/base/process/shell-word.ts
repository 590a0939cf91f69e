/** A word of a command line as one would type it: in quotes where a shell would take it for something else. */
export const shellWord = (word: string): string =>
  /^[\w./:+@%-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
