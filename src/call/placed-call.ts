import type { CallRecord } from './call-record.js';
import type { Speaker } from './timeline.js';

/** What a row of a list tells of a call. */
export interface CallSummary {
  /** What was said last that a bot has understood or the caller has heard, at most 160 characters. */
  readonly lastWords?: { readonly speaker: Speaker; readonly text: string };
  /** From the caller's last sound until they heard the answer: the median of the call's turns, in milliseconds. */
  readonly answerMs?: number;
  /** What code of the bot has thrown last: the first line of it, at most 160 characters, and where: `bot.ts:7:22`. */
  readonly thrown?: { readonly error: string; readonly place?: string };
}

/** A call as the operators of a cluster see it; plain JSON. A runner that is alone does not say where. */
export interface PlacedCall extends CallRecord {
  /** Name of the machine whose runner has it, or had it when it ended. */
  readonly machine?: string;
  /** That runner's process there. */
  readonly pid?: number;
  /** That runner's identifier, another one each time that it starts. */
  readonly runner?: string;
  /** Absent where nothing is known of what was said in it, as of calls of other machines. */
  readonly summary?: CallSummary;
}

/** Where each of these calls is, for people: its machine, and which process of several that this one has. */
export function placesOf(calls: readonly PlacedCall[]): (call: PlacedCall) => string {
  const processes = new Map<string | undefined, Set<number | undefined>>();
  for (const { machine, pid } of calls) processes.set(machine, (processes.get(machine) ?? new Set()).add(pid));
  return ({ machine = '', pid }) =>
    pid !== undefined && (processes.get(machine)?.size ?? 0) > 1 ? `${machine} (process ${pid})` : machine;
}
