import type { Difference } from './difference.js';

/** What is different, as a table in Markdown: what matters comes first. */
export function differenceTable(differences: readonly Difference[]): string[] {
  if (differences.length === 0) return ['No difference.'];
  const sorted = onceEach(differences).sort((a, b) => Number(b.matters) - Number(a.matters));
  const rows = sorted.map((one) => [
    one.step,
    one.kind,
    whereOf(one),
    one.expected,
    one.seen,
    mattersText(one),
    one.restsOn.join(' '),
  ]);
  return [
    row(['Step', 'Difference', 'Where', 'Expected', 'Seen', 'Does it matter?', 'What rests on it']),
    row(Array<string>(7).fill('---')),
    ...rows.map((cells) => row(cells.map(escaped))),
  ];
}

/** What is different in several steps is told once, for people; its `step` names them all. */
export function onceEach(differences: readonly Difference[]): Difference[] {
  const found = new Map<string, string[]>();
  for (const { step, ...same } of differences) {
    const key = JSON.stringify(same);
    found.set(key, [...(found.get(key) ?? []), step]);
  }
  return [...found].map(([key, steps]) => ({ ...JSON.parse(key), step: steps.join(', ') }));
}

/** Where a difference is, for people. */
export const whereOf = ({ where, field }: Difference): string => (field === undefined ? where : `${where}: ${field}`);

export const mattersText = ({ matters, why }: Difference): string => `${matters ? 'yes' : 'no'}: ${why}`;

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const escaped = (cell: string) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
