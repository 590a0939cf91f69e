/** What a bot of the bench tells of itself, as a line of JSON. */
export interface Told {
  readonly call: string;
  readonly event: string;
  /** Of the bot's process. */
  readonly pid: number;
  /** Milliseconds since the epoch, which all processes of a machine share. */
  readonly at: number;
}

export const epochNow = (): number => performance.timeOrigin + performance.now();

export function tell(call: string, event: string): void {
  console.error(JSON.stringify({ call, event, pid: process.pid, at: epochNow() } satisfies Told));
}
