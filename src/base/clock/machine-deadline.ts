import { withDeadline } from '../async/deadline.js';
import { machineNow, machineTimeout } from './process-clock.js';

/**
 * A deadline that begins now and counts by the machine's clock, for what waits until the machine has done some work.
 * @returns what settles as a promise does, unless the deadline passes first: see {@link withDeadline}
 */
export function machineDeadline(limitMs: number, onLate: () => Error): <T>(promise: Promise<T>) => Promise<T> {
  const lateAt = machineNow() + limitMs;
  return (promise) => withDeadline(promise, Math.max(1, lateAt - machineNow()), onLate, machineTimeout);
}
