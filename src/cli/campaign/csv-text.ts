import { readFileSync } from 'node:fs';
import { CsvError, type Info, parse } from 'csv-parse/sync';

/** One row of a file, also its header. */
export interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Pick<Info, 'lines'>;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** What spreadsheets write first for themselves: `sep=;`, also in quotes. */
const SEPARATOR_LINE = /^"?sep=(.)"?(?=\r|\n|$)/i;
/** What a spreadsheet takes as a formula; the last four are the wide forms. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** Begins like a formula, and is a telephone number or an amount. */
const PLAIN_NUMBER = /^[+-]\d[\d ().-]*$|^-?\d+(?:[.,]\d+)*%?$/;

/**
 * The text of a file in UTF-8, or in UTF-16 with its byte order mark ("Unicode text" of spreadsheets).
 * @throws Error saying what is wrong
 */
export function readText(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('the file is not UTF-8: save it as CSV UTF-8', { cause: error });
  }
}

/**
 * Reads the records of a file with commas, semicolons, tabs or strokes between its fields: what a first line `sep=;` names,
 * else what its header has most of, outside of quotes.
 * @throws Error saying what is wrong, and where
 */
export function readRecords(given: string): CsvRecord[] {
  const withoutMark = given.replace(/^\ufeff/, '');
  const [line, named] = SEPARATOR_LINE.exec(withoutMark) ?? [''];
  const text = withoutMark.slice(line.length); // its line end stays, so that lines are counted as they are
  const delimiter = named ?? mostFrequent(text);
  try {
    const options = { delimiter, info: true, relax_column_count: true, skip_empty_lines: true } as const;
    const records = parse(text, options) as unknown as CsvRecord[];
    return records.filter(({ record }) => record.some((field) => field.trim() !== ''));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new Error(quoteProblem(error, text), { cause: error });
  }
}

/**
 * A field as it is written to a file that people open in a spreadsheet: what would be taken as a formula has an apostrophe before it.
 * @see RFC 4180, and OWASP on CSV injection
 */
export function csvField(field: string): string {
  const safe = FORMULA.test(field) && !PLAIN_NUMBER.test(field) ? `'${field}` : field;
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Without the apostrophe that {@link csvField} has put before it. */
export const fieldAsGiven = (field: string) =>
  field.startsWith("'") && FORMULA.test(field.slice(1)) ? field.slice(1) : field;

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.subarray(0, 1_000).includes(0)) throw new Error('NUL');
  return 'utf-8';
}

/** Of the first line that has something in it. */
function mostFrequent(text: string): string {
  const header = text.trimStart();
  const counts = new Map<string, number>(DELIMITERS.map((one) => [one, 0]));
  let isQuoted = false;
  for (const character of header) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[\r\n]/.test(character)) break;
    else if (!isQuoted && counts.has(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const [[most, count] = [',', 0]] = [...counts].sort(([, a], [, b]) => b - a);
  return count === 0 ? ',' : most;
}

function quoteProblem({ code, lines, column }: CsvError & { column?: unknown }, text: string): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') {
    const opened = text.slice(0, lastOpeningQuote(text)).split(/\r\n|\r|\n/);
    const place = `line ${opened.length}, character ${(opened.at(-1) ?? '').length + 1}`;
    return `${place}: this quote is never closed: double a quote that belongs to a text, and put the whole field in quotes`;
  }
  const field = typeof column === 'number' ? `, field ${column + 1}` : '';
  return `line ${lines}${field}: the quotes do not match: double a quote that belongs to a text, and put the whole field in quotes`;
}

function lastOpeningQuote(text: string): number {
  let at = -1;
  let isQuoted = false;
  for (let index = text.indexOf('"'); index >= 0; index = text.indexOf('"', index + 1)) {
    isQuoted = !isQuoted;
    if (isQuoted) at = index;
  }
  return at;
}
