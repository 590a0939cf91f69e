import { availableParallelism, cpus, totalmem } from 'node:os';
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

/** So often in a row the sum may be below an earlier one before that is taken to be what it is. */
const MOST_FALLS = 3;

/** Looks at processes from time to time. */
export class UsageWatch {
  #last: { readonly at: number; readonly cpuMs: number } | undefined;
  #falls = 0;
  #cpu: number[] = [];
  #memoryBytes = 0;
  #processes = 0;

  constructor(
    private readonly usage: () => ProcessUsage | undefined,
    private readonly now: () => number = () => performance.now(),
    private readonly cores: number = availableParallelism(),
  ) {}

  /** @returns per cent of a core since the last time; undefined where that is not known */
  look(): number | undefined {
    const [usage, at] = [this.usage(), this.now()];
    if (!usage) {
      this.#last = undefined;
      return undefined;
    }
    this.#memoryBytes = Math.max(this.#memoryBytes, usage.memoryBytes);
    this.#processes = Math.max(this.#processes, usage.processes);
    const { cpuMs } = usage;
    const last = this.#last;
    // The time of a child that has ended is missing until its parent has waited for it: the next look tells of both stretches.
    if (last && cpuMs < last.cpuMs && this.#falls < MOST_FALLS) {
      this.#falls += 1;
      return undefined;
    }
    this.#falls = 0;
    this.#last = { at, cpuMs };
    if (!last || cpuMs < last.cpuMs || at <= last.at) return undefined;
    const percent = Math.min((100 * (cpuMs - last.cpuMs)) / (at - last.at), 100 * this.cores);
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

/** The most that was used while calls were on, in per cent. */
export interface MachineUse {
  readonly cores: number;
  /** Of a core, by the runner and its bots, or by the server; undefined where that is not known. */
  readonly botsPercent: number | undefined;
  /** Of a core, by the process of the callers. */
  readonly callersPercent: number;
  /** Of all processors, by everything that ran. */
  readonly busyPercent: number;
  /** Of the memory, at its lowest. */
  readonly freeMemoryPercent: number;
}

/** Of all processors since the machine was started, in any unit. */
export interface ProcessorTimes {
  readonly idle: number;
  readonly total: number;
}

/** Keeps the most that was used of the machine. */
export class MachineWatch {
  #use = unused();
  #times: ProcessorTimes;

  constructor(private readonly times: () => ProcessorTimes = processorTimes) {
    this.#times = times();
  }

  /** Percentages of a core, in the last second. */
  see(callersPercent: number, botsPercent: number | undefined): void {
    const before = this.#times;
    const now = this.times();
    this.#times = now;
    const total = now.total - before.total;
    const busyPercent = total <= 0 ? 0 : 100 * (1 - (now.idle - before.idle) / total);
    const use = this.#use;
    this.#use = {
      cores: use.cores,
      botsPercent: botsPercent === undefined ? use.botsPercent : Math.max(use.botsPercent ?? 0, botsPercent),
      callersPercent: Math.max(use.callersPercent, callersPercent),
      busyPercent: Math.max(use.busyPercent, busyPercent),
      freeMemoryPercent: Math.min(use.freeMemoryPercent, freeMemoryPercent()),
    };
  }

  restart(): void {
    this.#use = unused();
    this.#times = this.times();
  }

  get use(): MachineUse {
    return this.#use;
  }
}

const unused = (): MachineUse => ({
  cores: availableParallelism(),
  botsPercent: undefined,
  callersPercent: 0,
  busyPercent: 0,
  freeMemoryPercent: freeMemoryPercent(),
});

function processorTimes(): ProcessorTimes {
  let [idle, total] = [0, 0];
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, total };
}

/** Of what this process may have: less than the machine's, in a container. */
const freeMemoryPercent = (): number =>
  Math.min(100, (100 * process.availableMemory()) / Math.min(process.constrainedMemory() || totalmem(), totalmem()));
