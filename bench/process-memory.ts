import { readFileSync } from 'node:fs';
import { childrenOf } from './process-tree.js';

/** Bytes. */
export interface Memory {
  /** Pages no other process has: what the machine gets back when this one ends. */
  own: number;
  /** The same plus this process's share of what it has in common with others, such as Node itself. */
  proportional: number;
  /** All pages it has in memory. */
  resident: number;
}

/** Of a process and all it has started. */
export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1_024;
  const memory: Memory = {
    own: bytes('Private_Clean') + bytes('Private_Dirty'),
    proportional: bytes('Pss'),
    resident: bytes('Rss'),
  };
  return childrenOf(pid)
    .map(memoryOf)
    .reduce(
      (sum, child) => ({
        own: sum.own + child.own,
        proportional: sum.proportional + child.proportional,
        resident: sum.resident + child.resident,
      }),
      memory,
    );
}
