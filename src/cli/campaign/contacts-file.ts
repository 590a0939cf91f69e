import { closestName } from '../../base/closest-name.js';
import { VoicebotError } from '../../base/errors.js';
import { type CsvRecord, fieldAsGiven, readRecords, readText } from './csv-text.js';

/** A contact of the file, as a runner is told of it. */
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

/** What columns of numbers are called elsewhere. */
const NUMBER_NAMES =
  /^(?:customer|contact|primary|work|home)?(?:tele)?(?:phone|mobile|cell|msisdn|tel|telefon|handy|number|no|nr)+$/;

/**
 * Reads a CSV file of contacts in UTF-8 or UTF-16, with commas, semicolons, tabs or strokes. Our own columns may be written in any case,
 * with spaces or dashes. Columns that are not ours become custom data; a dot in a name makes an object: `user.firstName`.
 * @throws VoicebotError VB_CONTACTS_INVALID for a file of which no row can be read
 */
export function readContacts(path: string): ContactsFile {
  const [header, ...others] = recordsOf(path);
  if (!header) throw unusable('the file is empty');
  const columns = withoutEmptyEnd(header.record, others).map((name) => name.trim());
  const names = ownNames(columns);
  checkColumns(names);
  if (others.length === 0) throw unusable('it has a header and no rows');
  const rows = others.map(({ record, info }): ContactRow => {
    const line = info.lines - record.join('').split('\n').length + 1;
    const isLonger = record.slice(columns.length).some((field) => field.trim() !== '');
    const fields = columns.map((_, index) => fieldAsGiven(record[index] ?? ''));
    if (record.length >= columns.length && !isLonger) return { line, fields, contact: contactOf(names, fields) };
    return { line, fields, problem: `it has ${record.length} fields, and the header has ${columns.length}` };
  });
  return { columns, rows };
}

function recordsOf(path: string): CsvRecord[] {
  try {
    return readRecords(readText(path));
  } catch (error) {
    throw unusable((error as Error).message, error);
  }
}

/** Spreadsheets write columns at the end that have neither a name nor a field. */
function withoutEmptyEnd(header: readonly string[], rows: readonly CsvRecord[]): readonly string[] {
  const used = header.findLastIndex(
    (name, index) => name.trim() !== '' || rows.some(({ record }) => (record[index] ?? '').trim() !== ''),
  );
  return header.slice(0, used + 1);
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');

/** Our own columns by their names; one that has exactly such a name comes before one that is like it. */
function ownNames(columns: readonly string[]): readonly string[] {
  return columns.map((name) => {
    const own = OWN.find((one) => lettersOf(one) === lettersOf(name));
    return own !== undefined && !columns.includes(own) ? own : name;
  });
}

/** The column that probably has the numbers. */
function meantByNumber(columns: readonly string[]): string {
  const meant = columns.find((name) => NUMBER_NAMES.test(lettersOf(name))) ?? closestName(NUMBER, columns);
  return meant ? `: did you mean ${meant}? Call it ${NUMBER}` : '';
}

function checkColumns(columns: readonly string[]): void {
  const problems = [];
  if (!columns.includes(NUMBER)) problems.push(`there is no column ${NUMBER}${meantByNumber(columns)}`);
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
    hint: `A header with the column ${NUMBER}, then one row for each to call. No call was placed.`,
    cause,
  });
