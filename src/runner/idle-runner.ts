import { settlesWithin } from '../base/async/deadline.js';
import { deferred } from '../base/async/deferred.js';
import type { BotPool } from './bots/bot-pool.js';
import type { CallRegistry } from './calls/life/call-registry.js';
import type { CallSupervisor } from './calls/life/supervisor.js';

interface BusyParts {
  readonly registry: CallRegistry;
  readonly pool: BotPool;
  readonly supervisor: Pick<CallSupervisor, 'busyCount'> | undefined;
}

/** Resolves when no call is live and every bot function has settled, after `limitMs`, or when `atOnce` is aborted. */
export async function idleWithin(
  { registry, pool, supervisor }: BusyParts,
  limitMs: number,
  atOnce: AbortSignal,
): Promise<void> {
  const idle = deferred();
  const check = () => {
    if ((supervisor?.busyCount ?? 0) === 0 && pool.callCount === 0) idle.resolve();
  };
  registry.on('change', check);
  pool.on('call_done', check);
  atOnce.addEventListener('abort', () => idle.resolve(), { once: true });
  if (atOnce.aborted) idle.resolve();
  check();
  await settlesWithin(idle.promise, limitMs);
  registry.off('change', check);
  pool.off('call_done', check);
}
