import { existsSync, writeFileSync } from 'node:fs';
import { parse, resolve } from 'node:path';
import { VoicebotError } from '../../base/errors.js';
import type { CampaignResult } from '../../call/campaign-progress.js';
import { csvField } from './csv-text.js';

/** The columns after those of the input. */
const COLUMNS = ['outcome', 'attempts', 'call_id', 'started_at', 'duration_s', 'disclosed_at'];
/** Those that only results with costs have. `call_cost_complete` is `no` where something has no price. */
const COST_COLUMNS = ['call_cost', 'call_currency', 'call_cost_complete'];

/** A row of the input, and what came of it; undefined when it was left out. */
export interface ResultRow {
  readonly fields: readonly string[];
  readonly result: CampaignResult | undefined;
}

/**
 * Where the results go: the wished file, which must be free, else one beside the contacts, with a number when the first name is taken.
 * @throws VoicebotError VB_FILE_EXISTS
 */
export function resultsPath(directory: string, wished: string | undefined, contacts: string): string {
  if (wished !== undefined) {
    const path = resolve(directory, wished);
    if (!existsSync(path)) return path;
    throw new VoicebotError('VB_FILE_EXISTS', path, { hint: 'Give another name with --output.' });
  }
  const { dir, name } = parse(resolve(directory, contacts));
  for (let count = 1; ; count += 1) {
    const path = resolve(dir, `${name}-results${count === 1 ? '' : `-${count}`}.csv`);
    if (!existsSync(path)) return path;
  }
}

/**
 * Writes all columns of the input, and those of the results, which take the place of such columns of an earlier campaign. Only the user
 * may read it: it has telephone numbers. No field of it is a formula for a spreadsheet, and it can be read as contacts again.
 */
export function writeResults(path: string, columns: readonly string[], rows: readonly ResultRow[]): void {
  const isPriced = rows.some(({ result }) => result?.cost !== undefined);
  const own = [...COLUMNS, ...(isPriced ? COST_COLUMNS : [])];
  const replaced: readonly string[] = [...COLUMNS, ...COST_COLUMNS];
  const isInput = (_: string, index: number) => !replaced.includes(columns[index] ?? '');
  const costs = (result: CampaignResult | undefined) => (isPriced ? costColumnsOf(result) : []);
  const lines = rows.map(({ fields, result }) => [...fields.filter(isInput), ...columnsOf(result), ...costs(result)]);
  const heads = [...columns.filter(isInput), ...own];
  const text = [heads, ...lines].map((line) => `${line.map(csvField).join(',')}\n`).join('');
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
}

/** Results alone, where the input is not at hand. */
export function writeBareResults(path: string, results: readonly CampaignResult[]): void {
  const rows = results.map((result) => ({ fields: [result.id ?? '', result.phoneNumber], result }));
  writeResults(path, ['id', 'phone_number'], rows);
}

function columnsOf(result: CampaignResult | undefined): string[] {
  if (!result) return ['skipped', '0', '', '', '', ''];
  const { outcome, attempts, callId = '', startedAt, talkedMs, disclosedAt } = result;
  return [
    outcome ?? 'not_called',
    String(attempts),
    callId,
    momentOf(startedAt),
    talkedMs === undefined ? '' : (talkedMs / 1_000).toFixed(1),
    momentOf(disclosedAt),
  ];
}

function costColumnsOf(result: CampaignResult | undefined): string[] {
  const { cost } = result ?? {};
  return cost ? [cost.amount, cost.currency, cost.isComplete ? 'yes' : 'no'] : ['', '', ''];
}

const momentOf = (at: number | undefined): string => (at === undefined ? '' : new Date(at).toISOString());
