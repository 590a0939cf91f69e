import type { CallersSecond } from './load-messages.js';

/** From empty to full. */
const BLOCKS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const LABEL_WIDTH = 12;
/** What stands behind the blocks. */
const LEGEND_WIDTH = 16;
const LEAST_WIDTH = 10;

/** One second of a load: what the callers tell, with what runner and bots use. */
export interface LoadSecond extends CallersSecond {
  /** Of runner and bots, in per cent of a core; undefined where that is not known. */
  readonly usedPercent: number | undefined;
}

interface Row {
  readonly label: string;
  readonly unit: string;
  readonly value: (second: LoadSecond) => number | undefined;
}

const ROWS: readonly Row[] = [
  { label: 'calls', unit: '', value: ({ live }) => live },
  { label: 'first word', unit: ' ms', value: ({ firstWordsMs }) => largest(firstWordsMs) },
  { label: 'missing', unit: ' %', value: missingPercent },
  { label: 'bots’ CPU', unit: ' %', value: ({ usedPercent }) => usedPercent },
];

/**
 * The course of a load as lines of block characters, one for each figure, with the highest value behind it; each column is a second or more.
 * @param columns of the terminal
 */
export function plotOf(seconds: readonly LoadSecond[], columns: number): string[] {
  if (seconds.length === 0) return [];
  const width = Math.max(LEAST_WIDTH, Math.min(seconds.length, columns - LABEL_WIDTH - LEGEND_WIDTH));
  const perColumn = Math.ceil(seconds.length / width);
  const lines = ROWS.flatMap(({ label, unit, value }) => {
    const values = inColumns(seconds.map(value), perColumn);
    const most = largest(values.filter((one) => one !== undefined));
    if (most === undefined) return [];
    const blocks = values.map((one) => blockOf(one, most)).join('');
    return [`${label.padEnd(LABEL_WIDTH)}${blocks} ${rounded(most)}${unit}`];
  });
  const columnsUsed = Math.ceil(seconds.length / perColumn);
  const end = `${seconds.length} s`;
  return [...lines, `${' '.repeat(LABEL_WIDTH)}0${end.padStart(Math.max(columnsUsed - 1, end.length + 1))}`];
}

/** Anything above nothing is seen. */
function blockOf(value: number | undefined, most: number): string {
  if (value === undefined || value <= 0 || most <= 0) return ' ';
  return BLOCKS[Math.max(1, Math.round((value / most) * (BLOCKS.length - 1)))] as string;
}

/** The highest value of each column. */
function inColumns(values: ReadonlyArray<number | undefined>, perColumn: number): Array<number | undefined> {
  return Array.from({ length: Math.ceil(values.length / perColumn) }, (_, column) =>
    largest(values.slice(column * perColumn, (column + 1) * perColumn).filter((one) => one !== undefined)),
  );
}

function missingPercent({ heardMs, missingMs }: LoadSecond): number | undefined {
  const spokenMs = heardMs + missingMs;
  return spokenMs <= 0 ? undefined : Math.max(0, (100 * missingMs) / spokenMs);
}

const largest = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.max(...values);

const rounded = (value: number): string => (value >= 10 ? value.toFixed(0) : String(Number(value.toFixed(2))));
