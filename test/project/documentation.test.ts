import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { END_REASONS } from '../../src/call/call.js';
import { EXIT } from '../../src/cli/exit-codes.js';
import { SETTINGS } from '../../src/config/settings.js';
import { ERROR_SUMMARIES } from '../../src/errors.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

/** Rows of a Markdown table that start with a word in back quotes: that word and the other cells. */
const rows = (markdown: string) =>
  [...markdown.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => [
    name,
    ...rest.split('|').map((cell) => cell.trim()),
  ]);

test('docs/errors.md lists exactly the error codes there are, in order, with their meaning, cause and remedy', () => {
  const table = rows(read('docs/errors.md'));
  expect(table.map(([code, summary]) => [code, summary])).toEqual(Object.entries(ERROR_SUMMARIES));
  for (const [, , cause, remedy] of table) {
    expect(cause).not.toBe('');
    expect(remedy).not.toBe('');
  }
});

test('the error codes are in alphabetical order', () => {
  const codes = Object.keys(ERROR_SUMMARIES);
  expect(codes).toEqual(codes.toSorted());
});

test('docs/cli.md lists every setting and every exit code', () => {
  const names = rows(read('docs/cli.md')).map(([name]) => name);
  for (const { variable } of Object.values(SETTINGS)) expect(names).toContain(variable);
  for (const exitCode of Object.values(EXIT)) expect(names).toContain(String(exitCode));
});

test('docs/runner.md lists every reason a call can end for', () => {
  expect(rows(read('docs/runner.md')).map(([name]) => name)).toEqual(expect.arrayContaining([...END_REASONS]));
});
