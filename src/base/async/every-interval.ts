/**
 * Calls `act` again and again, and tells it how much later than it should have been: what the event loop was busy with meanwhile.
 * @param ms at least 1, from one call to the next
 */
export function everyInterval(ms: number, act: (lateMs: number) => void): NodeJS.Timeout {
  let dueAt = performance.now() + ms;
  return setInterval(() => {
    const now = performance.now();
    const lateMs = Math.max(0, now - dueAt);
    dueAt = now + ms;
    act(lateMs);
  }, ms);
}
