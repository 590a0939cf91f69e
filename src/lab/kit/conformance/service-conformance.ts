import { withDeadline } from '../../../base/async/deadline.js';
import type { CarrierConformanceOptions } from './carrier-conformance.js';

/** Longest wait for anything that a vendor is to do, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Rejects when a vendor takes too long. @internal */
export const soon = <T>(promise: Promise<T>, what: string): Promise<T> =>
  withDeadline(promise, PATIENCE_MS, () => new Error(`not within ${PATIENCE_MS} ms: ${what}`));

/** Which voice or which ears are tried, and how their vendor can be made to fail. */
export interface ServiceConformanceOptions {
  /** What the titles of the tests begin with. */
  readonly name: string;
  /** Registers a test: `test` of `node:test`, of Jest, of Vitest. */
  readonly test: CarrierConformanceOptions['test'];
  /** Breaks every connection to the vendor, once, while a story plays. Without it nothing is asked about that. */
  readonly breakOff?: () => void;
  /** Makes the vendor refuse the key. Default: nothing is asked about that. @returns what ends it */
  readonly refuse?: () => () => void;
}
