import { join } from 'node:path';
import { type DialGate, DialLimits, type DialLimitsOptions } from './dial-limits.js';
import { DialledMinutes } from './dialled-minutes.js';

/** What a runner is set to. */
export interface LimitedRunner {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly dialLimits: Omit<DialLimitsOptions, 'minutes'> & { readonly minutesPerDay?: number | undefined };
  /** The longest that one call may last. */
  readonly dialMaxSeconds: number;
}

/** The limits of a runner. */
export function dialLimitsOf({ stateDirectory, dialLimits, dialMaxSeconds }: LimitedRunner): DialGate {
  const { minutesPerDay: perDay, ...limits } = dialLimits;
  if (perDay === undefined) return new DialLimits(limits);
  const perCall = Math.ceil(dialMaxSeconds / 60);
  const minutes = new DialledMinutes({ directory: join(stateDirectory, 'dialled'), perDay, perCall });
  return new DialLimits({ ...limits, minutes });
}
