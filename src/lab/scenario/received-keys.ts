import { MASKED_KEY } from '../../call/folder/event-file.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';

/** All keys of a call in one direction, in order: `in` are the caller's. */
export const keysOf = (events: readonly TimelineEvent[], direction: 'in' | 'out'): string =>
  allOf(events, 'keys')
    .filter((one) => one.direction === direction)
    .map((one) => one.keys)
    .join('');

/**
 * The caller's keys that the bot has received, in order. Those that the bot masks are what the caller has pressed, where no key was lost on the
 * way; otherwise `•` stands for each.
 * @param pressed keys of the caller, in order
 */
export function receivedKeys(events: readonly TimelineEvent[], pressed: string): string {
  const keys = keysOf(events, 'in');
  return keys.includes(MASKED_KEY) && pressed.length === keys.length ? pressed : keys;
}
