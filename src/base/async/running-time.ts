/** So often it is seen whether this process stood still, in milliseconds; and how much longer a moment may be without that. */
const [MOMENT_MS, SLACK_MS] = [100, 20];

/**
 * A timer for what others owe: `act` is called when this process has been running for `ms` milliseconds. Time in which it stood still, or
 * was too busy, does not count; and what came meanwhile is taken first.
 * @returns cancels it
 */
export function afterRunning(ms: number, act: () => void): () => void {
  let leftMs = ms;
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  const waitOn = (): void => {
    const since = performance.now();
    const momentMs = Math.max(0, Math.min(leftMs, MOMENT_MS));
    timer = setTimeout(() => {
      const passedMs = performance.now() - since;
      leftMs -= Math.min(passedMs, momentMs + SLACK_MS);
      const stoodStill = passedMs > momentMs + SLACK_MS;
      if (stoodStill) leftMs = Math.max(leftMs, MOMENT_MS);
      if (leftMs > 0.5) waitOn();
      else turn = setImmediate(act);
    }, momentMs);
  };
  waitOn();
  return () => {
    clearTimeout(timer);
    if (turn) clearImmediate(turn);
  };
}
