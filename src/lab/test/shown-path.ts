import { isAbsolute, relative } from 'node:path';

/** A file as one would type it in this directory: its absolute path when it lies outside. */
export function shownPath(file: string, directory: string): string {
  const path = relative(directory, file);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path;
}

/** With the line, as terminals and editors make links of it: `scenarios/bakery.yaml:12`. */
export const shownPlace = ({ file, line }: { file: string; line: number | undefined }, directory: string): string =>
  line === undefined ? shownPath(file, directory) : `${shownPath(file, directory)}:${line}`;
