import { readFileSync } from 'node:fs';
import { CsvError, type Info, parse } from 'csv-parse/sync';
import { VoicebotError } from '../../errors.js';

/** Somebody of the file, as a runner is told of him. */
export interface ContactToCall {
  readonly phone_number: string;
  readonly id?: string;
  readonly time_zone?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One row of the file. */
export interface ContactRow {
  /** Where it begins; the header is in line 1. */
  readonly line: number;
  readonly fields: readonly string[];
  /** Undefined where there is a problem. */
  readonly contact?: ContactToCall;
  readonly problem?: string;
}

export interface ContactsFile {
  /** The header. */
  readonly columns: readonly string[];
  readonly rows: readonly ContactRow[];
}

const NUMBER = 'phone_number';
const OWN = [NUMBER, 'id', 'time_zone'];

/**
 * Reads a CSV file of contacts in UTF-8, with commas, or with semicolons or tabs when its header has those. Columns that are not ours
 * become custom data; a dot in a name makes an object: `user.firstName`.
 * @throws VoicebotError VB_CONTACTS_INVALID for a file of which no row can be read
 */
export function readContacts(path: string): ContactsFile {
  const records = recordsOf(textOf(path));
  const [header, ...others] = records;
  if (!header) throw unusable('the file is empty');
  const columns = header.record.map((name) => name.trim());
  checkColumns(columns);
  if (others.length === 0) throw unusable('it has a header and no rows');
  const rows = others.map(({ record, info }): ContactRow => {
    const line = info.lines - record.join('').split('\n').length + 1;
    if (record.length === columns.length) return { line, fields: record, contact: contactOf(columns, record) };
    const problem = `it has ${record.length} fields, and the header has ${columns.length}`;
    return { line, fields: columns.map((_, index) => record[index] ?? ''), problem };
  });
  return { columns, rows };
}

function textOf(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw unusable(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unusable('the file is not UTF-8: save it as CSV UTF-8', error);
  }
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Pick<Info, 'lines'>;
}

function recordsOf(text: string): CsvRecord[] {
  const [first = ''] = text.split(/\r?\n/, 1);
  const delimiter = [',', ';', '\t'].find((one) => first.includes(one)) ?? ',';
  try {
    const options = { bom: true, delimiter, info: true, relax_column_count: true, skip_empty_lines: true } as const;
    return parse(text, options) as unknown as CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw unusable(`line ${error.lines}: the quotes do not match`, error);
  }
}

function checkColumns(columns: readonly string[]): void {
  const problems = [];
  if (!columns.includes(NUMBER)) problems.push(`there is no column ${NUMBER}`);
  if (columns.includes('')) problems.push('a column has no name');
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) problems.push(`there are two columns ${twice}`);
  for (const name of columns) {
    const parts = name.split('.');
    if (parts.includes('') && name !== '')
      problems.push(`${name}: a name begins or ends with a dot, or has two together`);
    if (parts.includes('__proto__')) problems.push(`${name}: no column may be called __proto__`);
    const object = columns.find((other) => other.startsWith(`${name}.`));
    if (object !== undefined) problems.push(`${name} is a text, and ${object} makes it an object`);
  }
  if (problems.length > 0) throw unusable(problems.map((problem) => `line 1: ${problem}`).join('\n  '));
}

function contactOf(columns: readonly string[], fields: readonly string[]): ContactToCall {
  const body: Record<string, unknown> = {};
  for (const [index, name] of columns.entries()) {
    if (!OWN.includes(name)) put(body, name.split('.'), fields[index] ?? '');
  }
  const own = (name: string) => fields[columns.indexOf(name)]?.trim() ?? '';
  const [id, timeZone] = [own('id'), own('time_zone')];
  return {
    phone_number: own(NUMBER),
    ...(id !== '' && { id }),
    ...(timeZone !== '' && { time_zone: timeZone }),
    body,
  };
}

function put(body: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  const inner = Object.hasOwn(body, first) ? (body[first] as Record<string, unknown>) : {};
  body[first] = inner;
  put(inner, rest, value);
}

const unusable = (detail: string, cause?: unknown) =>
  new VoicebotError('VB_CONTACTS_INVALID', detail, {
    hint: `A header with the column ${NUMBER}, then one row for each to call. Nobody was called.`,
    cause,
  });
