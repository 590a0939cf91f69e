/** Waits before another attempt to connect to a provider, in milliseconds, give or take a quarter. Then there is none. */
export const BACKOFF_MS = [100, 300, 1_000, 2_000];

/** After so long without a connection that works a service gives up, in milliseconds: callers who wait longer hang up. */
export const GIVE_UP_MS = 4_000;

/** A wait of its own for each call, so that they do not all come back in the same moment. @param ms milliseconds */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
