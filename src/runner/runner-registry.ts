import type { BotPool } from './bots/bot-pool.js';
import { CallCosts } from './calls/life/call-costs.js';
import { CallFolders } from './calls/life/call-folders.js';
import { CallRegistry } from './calls/life/call-registry.js';
import type { Coordination } from './coordination.js';
import type { DialGate } from './dialing/dial-limits.js';
import { botNameOf } from './operator/status-of.js';
import type { RunnerOptions } from './runner-options.js';

/** The calls of a runner, of which there are none yet. */
export function openRegistry(options: RunnerOptions): CallRegistry {
  const registry = new CallRegistry();
  registry.botFile = botNameOf(options);
  registry.followsTalk = options.followsTalk ?? false;
  return registry;
}

/** From now on the calls say what they cost, where the user has given prices, and the limits learn of those that are over. */
export function priceCalls(
  { prices, provider }: Pick<RunnerOptions, 'prices' | 'provider'>,
  registry: CallRegistry,
  limits: DialGate,
): CallCosts[] {
  if (!prices) return [];
  const isRoom = provider.kind === 'rooms';
  const { name } = isRoom ? provider.provider : provider.carrier;
  registry.on('settled', (record) => limits.settled(record));
  return [new CallCosts(registry, prices, { provider: name, media: isRoom ? 'room' : 'stream' })];
}

/** What its calls leave on the disk, also of those of which another runner has a part. */
export function openFolders(
  options: RunnerOptions & { readonly coordination: Coordination },
  registry: CallRegistry,
  pool: Pick<BotPool, 'record'>,
): CallFolders {
  const { coordination, retention, logger } = options;
  return new CallFolders({
    ...options,
    registry,
    wish: () => pool.record,
    warn: logger.warn,
    shareRemovals: (removed) => coordination.removals?.({ keptDays: retention?.days ?? 0, removed, logger }),
  });
}
