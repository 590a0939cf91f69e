/** One line of the table. */
export interface Figure {
  name: string;
  /** The same measured on what it is compared with: a bare WebSocket server, unless the name says something else. */
  bare?: string;
  ours: string;
  ratio?: string;
  target?: string;
  /** Undefined for a figure without a target. */
  isHeld?: boolean;
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

export function atMost(limit: number, value: number, unit: string): Pick<Figure, 'target' | 'isHeld'> {
  return { target: `<= ${limit}${unit}`, isHeld: value <= limit };
}

const HEADINGS = ['figure', 'compared', 'voicebot', 'ratio', 'target', ''];

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, bare = '', ours, ratio = '', target = '', isHeld }) => [
    name,
    bare,
    ours,
    ratio,
    target,
    isHeld === undefined ? '' : isHeld ? 'ok' : 'short',
  ]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(...[heading, ...rows.map((row) => row[column] ?? '')].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(HEADINGS), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
