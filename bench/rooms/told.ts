import { commonNow } from '../processes/clock.js';

/** What a bot of the bench tells of itself, as a line of JSON. */
export interface Told {
  readonly call: string;
  readonly event: string;
  /** Of the bot's process. */
  readonly pid: number;
  /** Of the clock that all processes have in common, in milliseconds. */
  readonly at: number;
}

export function tell(call: string, event: string): void {
  console.error(JSON.stringify({ call, event, pid: process.pid, at: commonNow() } satisfies Told));
}
