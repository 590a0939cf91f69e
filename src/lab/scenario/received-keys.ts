import { MASKED_KEY } from '../../call/folder/event-file.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';

/**
 * The caller's keys that the bot has received, in order. Those that the bot masks are what the caller has pressed, where no key was lost on the
 * way; otherwise `•` stands for each.
 * @param pressed keys of the caller, in order
 */
export function receivedKeys(events: readonly TimelineEvent[], pressed: string): string {
  const received = allOf(events, 'keys').filter(({ direction }) => direction === 'in');
  const keys = received.map((one) => one.keys).join('');
  return keys.includes(MASKED_KEY) && pressed.length === keys.length ? pressed : keys;
}
