import { cleanText } from '../base/clean-text.js';

/** Of a cell, in characters. */
const MAX_CELL = 64;

/** Lines with each column as wide as its widest cell; the last one is not padded. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => cleanText(cell, MAX_CELL)));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
