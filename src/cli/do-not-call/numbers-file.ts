import { VoicebotError } from '../../base/errors.js';
import { readPhoneNumber } from '../../call/phone-number.js';
import { type CsvRecord, fieldAsGiven, readRecords, readText } from '../campaign/csv-text.js';

/** A line that is no number. */
export interface BadLine {
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

export interface NumbersFile {
  /** E.164, each once. */
  readonly numbers: readonly string[];
  readonly bad: readonly BadLine[];
}

/** What the column is called, in any case, with spaces or dashes. */
const COLUMN = 'phonenumber';

/**
 * Reads a CSV file with a column `phone_number`, or a file with one number on each line, in UTF-8 or UTF-16. Empty lines count for nothing.
 * @throws VoicebotError VB_REQUEST_INVALID for a file that cannot be read
 */
export function readNumbersFile(path: string): NumbersFile {
  const records = recordsOf(path);
  const names = records[0]?.record.map((name) => name.toLowerCase().replace(/[\s_-]/g, '')) ?? [];
  const hasHeader = names.includes(COLUMN);
  const column = hasHeader ? names.indexOf(COLUMN) : 0;
  const numbers = new Set<string>();
  const bad: BadLine[] = [];
  for (const { record, info } of hasHeader ? records.slice(1) : records) {
    const read = readPhoneNumber(fieldAsGiven(record[column] ?? ''));
    if ('number' in read) numbers.add(read.number);
    else bad.push({ line: info.lines, problem: `the number ${read.problem}` });
  }
  return { numbers: [...numbers], bad };
}

function recordsOf(path: string): CsvRecord[] {
  try {
    return readRecords(readText(path));
  } catch (cause) {
    throw new VoicebotError('VB_REQUEST_INVALID', `${path}: ${(cause as Error).message}`, { cause });
  }
}
