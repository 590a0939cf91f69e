const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Turns a time of `performance.now()` into one that all processes of the machine count alike, in milliseconds. */
export const commonTime = (at: number): number => at + OFFSET_MS;

export const commonNow = (): number => commonTime(performance.now());
