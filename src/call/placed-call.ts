import type { CallRecord } from './call-record.js';

/** A call as the operators of a cluster see it; plain JSON. A runner that is alone does not say where. */
export interface PlacedCall extends CallRecord {
  /** Name of the machine whose runner has it, or had it when it ended. */
  readonly machine?: string;
  /** That runner's identifier, another one each time that it starts. */
  readonly runner?: string;
}
