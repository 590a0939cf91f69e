import type { LoadFigures } from './load-figures.js';
import type { JudgedLimit } from './load-limits.js';
import type { MachineUse, UsedByLoad } from './load-usage.js';

/** What a number of calls has come to. */
export interface LoadOutcomeReport {
  readonly figures: LoadFigures;
  readonly limits: readonly JudgedLimit[];
  readonly used: UsedByLoad | undefined;
  readonly machine: MachineUse;
  readonly isStopped: boolean;
}
