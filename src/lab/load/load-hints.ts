import { spreadOf } from './load-figures.js';
import type { LoadOutcomeReport } from './load-outcome.js';

const MEBIBYTE = 2 ** 20;
const MOST_WARM = 100;
/** In per cent: a process that used so much of a core, and a machine of which so much was used, had nothing left. */
const EXHAUSTED = { core: 90, machine: 80 };
/** Other programs used so much of the machine that figures are theirs, in per cent. */
const FOREIGN_PERCENT = 30;
/** Memory was short when less of it was free, in per cent. */
const LEAST_FREE_PERCENT = 5;

/** How the bots are served. */
export interface Serving {
  readonly warm: number;
  readonly callsPerProcess: number;
  /** What bot processes took to load, in milliseconds; empty for a server of one's own. */
  readonly loads: readonly number[];
}

/** What to do when callers were turned away; undefined when none was, or by a server of one's own. */
export function turnedAwayHint({ figures, used }: LoadOutcomeReport, serving: Serving): string | undefined {
  const away = figures.outcomes.turned_away;
  const loadMs = spreadOf(serving.loads)?.p50;
  if (away === 0 || loadMs === undefined) return undefined;
  const served = Math.max(1, figures.calls - away);
  const warm = Math.min(MOST_WARM, serving.warm + away);
  const each =
    used && used.processes > 0 ? ` (about ${(used.memoryBytes / used.processes / MEBIBYTE).toFixed(0)} MiB each)` : '';
  const share = serving.callsPerProcess * Math.ceil(figures.calls / served) + 1;
  return (
    `${calls(away)} turned away because no bot was ready: a bot process takes ${(loadMs / 1_000).toFixed(1)} s to load here. ` +
    `Keep more ready with --warm ${warm}${each}, or let calls share processes with --calls-per-process ${share}`
  );
}

const calls = (count: number) => (count === 1 ? '1 call was' : `${count} calls were`);

/** What used how much while a number of calls was tried: `runner and bots used up to 18 %, the callers 9 % of 2 cores (200 %)`. */
export function machineWords({ machine }: LoadOutcomeReport): string {
  const { cores, botsPercent, callersPercent, freeMemoryPercent } = machine;
  const bots = botsPercent === undefined ? '' : `runner and bots used up to ${botsPercent.toFixed(0)} % and `;
  return `${bots}the callers ${botsPercent === undefined ? 'used up to ' : ''}${callersPercent.toFixed(0)} % of ${cores} cores (${100 * cores} %), and ${freeMemoryPercent.toFixed(0)} % of the memory was free`;
}

/** What would help when a number of calls was too many. */
export function adviceOf(outcome: LoadOutcomeReport, serving: Serving): string {
  const { cores, botsPercent, callersPercent, busyPercent, freeMemoryPercent } = outcome.machine;
  const away = turnedAwayHint(outcome, serving);
  if (away !== undefined) return away;
  if (freeMemoryPercent < LEAST_FREE_PERCENT)
    return 'The memory was used up: more of it would help, or more calls in each process (--calls-per-process)';
  if (callersPercent >= EXHAUSTED.core)
    return 'The callers had no processor time left: the bots could serve more than this machine can call';
  if (botsPercent === undefined) return 'What the server used is not known: name its process with --pid';
  const ownPercent = (botsPercent + callersPercent) / cores;
  if (busyPercent >= EXHAUSTED.machine && busyPercent - ownPercent >= FOREIGN_PERCENT)
    return `Other programs kept the processors busy (${busyPercent.toFixed(0)} % of all in use): measure again while nothing else runs`;
  if (ownPercent >= EXHAUSTED.machine) return 'The processors were busy: more or faster ones would help';
  if (serving.callsPerProcess > 1 && botsPercent >= EXHAUSTED.core)
    return 'A bot process uses one core at most: a smaller --calls-per-process would spread calls over more of them';
  return 'Processors and memory were idle: a bigger machine would not help; look at what the bot waits for';
}
