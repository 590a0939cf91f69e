import type { TimelineEvent } from '../timeline.js';
import { allOf } from './events.js';

/** What worked for a call. */
export interface UsedServices {
  /** Speech to text, models and voices, each once: `deepgram nova-3`. */
  readonly names: readonly string[];
  /** Stand-ins took the place of services that need keys. */
  readonly areStandIns: boolean;
}

export function servicesOf(events: readonly TimelineEvent[]): UsedServices {
  const names = allOf(events, 'service', 'model_asked').map((event) =>
    event.type === 'service' ? [event.provider, event.model].filter(Boolean).join(' ') : event.model,
  );
  return { names: [...new Set(names)], areStandIns: events.some(({ type }) => type === 'stand_ins') };
}
