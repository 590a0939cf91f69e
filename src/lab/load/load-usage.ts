import type { ProcessUsage } from '../../base/process/process-usage.js';
import { type Spread, spreadOf } from './load-figures.js';

/** What runner and bots have used while calls were on. */
export interface UsedByLoad {
  /** Processor time, in per cent of a core. */
  readonly cpuPercent: Spread;
  /** Memory of their own, together, at its highest, in bytes. */
  readonly memoryBytes: number;
  readonly processes: number;
}

/** Looks at processes from time to time. */
export class UsageWatch {
  #last: { readonly at: number; readonly usage: ProcessUsage } | undefined;
  #cpu: number[] = [];
  #memoryBytes = 0;
  #processes = 0;

  constructor(
    private readonly usage: () => ProcessUsage | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns per cent of a core since the last time; undefined where that is not known */
  look(): number | undefined {
    const [usage, at] = [this.usage(), this.now()];
    const last = this.#last;
    this.#last = usage && { at, usage };
    if (!usage) return undefined;
    this.#memoryBytes = Math.max(this.#memoryBytes, usage.memoryBytes);
    this.#processes = Math.max(this.#processes, usage.processes);
    if (!last || usage.cpuMs < last.usage.cpuMs || at <= last.at) return undefined;
    const percent = (100 * (usage.cpuMs - last.usage.cpuMs)) / (at - last.at);
    this.#cpu.push(percent);
    return percent;
  }

  /** What was seen is forgotten. */
  restart(): void {
    this.#cpu = [];
    this.#memoryBytes = this.#processes = 0;
    this.#last = undefined;
    this.look();
  }

  /** Undefined where the system does not show it. */
  get used(): UsedByLoad | undefined {
    const cpuPercent = spreadOf(this.#cpu);
    return cpuPercent && { cpuPercent, memoryBytes: this.#memoryBytes, processes: this.#processes };
  }
}
