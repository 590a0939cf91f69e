import { join } from 'node:path';
import { SharedDialLimits } from '../../cluster/dialing/shared-dial-limits.js';
import { SharedRequests } from '../../cluster/dialing/shared-requests.js';
import type { Cluster } from '../../cluster/members/cluster.js';
import { type DialGate, DialLimits, type DialLimitsOptions } from './dial-limits.js';
import { DialledMinutes } from './dialled-minutes.js';
import { IdempotentRequests, type RequestsOnce } from './idempotent-requests.js';

/** How long a call may still be about to end when it has lasted for as long as it may, in seconds. */
const SLOT_SLACK_S = 5 * 60;

/** What a runner is set to. */
export interface LimitedRunner {
  /** Absolute path. */
  readonly stateDirectory: string;
  readonly dialLimits: Omit<DialLimitsOptions, 'minutes'> & { readonly minutesPerDay?: number | undefined };
  /** The longest that one dialled call may last, in seconds. */
  readonly dialMaxSeconds: number;
  readonly ringSeconds: number;
  /** The runners that share the limits. Default: those of `minutesPerDay` are those with this state directory, the others' none. */
  readonly cluster?: Cluster | undefined;
}

/**
 * The limits of a runner, or those of its cluster.
 * @param secret of the account, which all runners of a cluster have
 */
export function dialLimitsOf(runner: LimitedRunner, secret: string): DialGate {
  const { cluster, stateDirectory, dialLimits, dialMaxSeconds, ringSeconds } = runner;
  const minutesPerCall = Math.ceil(dialMaxSeconds / 60);
  if (cluster) {
    const slotMs = (ringSeconds + dialMaxSeconds + SLOT_SLACK_S) * 1_000;
    return new SharedDialLimits({ cluster, limits: dialLimits, minutesPerCall, slotMs, secret });
  }
  const { minutesPerDay: perDay, ...limits } = dialLimits;
  if (perDay === undefined) return new DialLimits(limits);
  const directory = join(stateDirectory, 'dialled');
  return new DialLimits({ ...limits, minutes: new DialledMinutes({ directory, perDay, perCall: minutesPerCall }) });
}

/**
 * What sees to it that a runner, or its whole cluster, does a repeated request once. Outcomes travel as JSON.
 * @param secret as for {@link dialLimitsOf}
 */
export const requestsOf = <T>({ cluster }: Pick<LimitedRunner, 'cluster'>, secret: string): RequestsOnce<T> =>
  cluster ? new SharedRequests<T>({ cluster, secret }) : new IdempotentRequests<T>();
