import { aligned } from '../../terminal/table.js';
import type { LoadFigures, Spread } from './load-figures.js';
import type { JudgedLimit, LoadLimits } from './load-limits.js';
import type { UsedByLoad } from './load-usage.js';

const LIMIT_NAMES: Readonly<Record<keyof LoadLimits, { name: string; unit: string }>> = {
  firstWordMs: { name: 'first word, p95', unit: 'ms' },
  gapMs: { name: 'longest gap, p95', unit: 'ms' },
  missingPercent: { name: 'audio missing', unit: '%' },
  failedPercent: { name: 'calls that went wrong', unit: '%' },
};
const MEBIBYTE = 2 ** 20;

/** All figures as a table for people. */
export function tableOf(
  figures: LoadFigures,
  used: UsedByLoad | undefined,
  callersPercent: Spread | undefined,
): string[] {
  const rows = [
    ['', 'p50', 'p95', 'max', 'of'],
    spreadRow('set-up, dialling to stream', figures.setUpMs, 'ms', 'calls'),
    spreadRow('first word after the answer', figures.firstWordMs, 'ms', 'calls'),
    spreadRow('answers to the caller', figures.answersMs, 'ms', 'answers'),
    spreadRow('longest gap in the audio', figures.gapMs, 'ms', 'calls'),
    spreadRow('CPU of runner and bots', used?.cpuPercent, '%', 'seconds'),
    spreadRow('CPU of the callers', callersPercent, '%', 'seconds'),
  ];
  const { done, live, turned_away, ended_early, failed } = figures.outcomes;
  const outcomes = [
    [done + live, 'done'],
    [turned_away, 'turned away'],
    [ended_early, 'ended early by the bot'],
    [failed, 'failed'],
  ] as const;
  const words = outcomes.filter(([count], at) => at === 0 || count > 0).map(([count, what]) => `${count} ${what}`);
  return [
    ...aligned(rows),
    '',
    `calls: ${words.join(', ')}`,
    ...figures.reasons.slice(0, 3).map(({ why, calls }) => `  ${calls} × ${why}`),
    `audio missing: ${figures.missingPercent === undefined ? 'no sound was heard' : `${figures.missingPercent.toFixed(2)} %`}`,
    used
      ? `memory of runner and bots: ${(used.memoryBytes / MEBIBYTE).toFixed(0)} MiB in ${used.processes} processes`
      : 'CPU and memory of the bots: not measured here',
  ];
}

/** Each limit in a few words: `first word, p95 410 ms (limit 2000 ms)`. */
export function limitWords({ name, limit, value }: JudgedLimit): string {
  const { name: what, unit } = LIMIT_NAMES[name];
  const none = name === 'firstWordMs' ? 'not heard' : 'not measured';
  const shown = value === undefined ? none : `${Number(value.toFixed(value < 10 ? 2 : 0))} ${unit}`;
  return `${what}: ${shown} (limit ${limit} ${unit})`;
}

function spreadRow(name: string, spread: Spread | undefined, unit: string, of: string): string[] {
  if (!spread) return [name, '–', '–', '–', ''];
  const { p50, p95, max, count } = spread;
  return [name, ...[p50, p95, max].map((value) => `${value.toFixed(0)} ${unit}`), `${count} ${of}`];
}
