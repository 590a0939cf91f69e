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
/** Figures are printed one by one, before the widest is known. */
const WIDTHS = [66, 20, 20, 6, 12, 5];

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0))
    .join('  ')
    .trimEnd();

/** The two lines above the figures. */
export const heading = (): string => [line(HEADINGS), line(WIDTHS.map((width) => '-'.repeat(width)))].join('\n');

/** One figure as a line of the table. */
export function row({ name, bare = '', ours, ratio = '', target = '', isHeld }: Figure): string {
  return line([name, bare, ours, ratio, target, isHeld === undefined ? '' : isHeld ? 'ok' : 'short']);
}
