import { MASKED_KEY } from '../../call/folder/event-file.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { allOf } from '../../call/view/events.js';
import type { CallerAction } from './caller-hands.js';

/**
 * The caller's keys that the bot has received, in order. Events have none of those that are pressed while the recording is paused, and `•` for those
 * that the bot masks: they are what the caller has pressed, where no key was lost on the way; otherwise `•` stands for each.
 * @param answeredAt milliseconds since the Unix epoch
 */
export function receivedKeys(
  events: readonly TimelineEvent[],
  acts: readonly CallerAction[],
  answeredAt: number | undefined,
): string {
  const received = allOf(events, 'keys').filter(({ direction }) => direction === 'in');
  const keys = received.map((one) => one.keys).join('');
  const pressed = acts.filter(({ does }) => does === 'press');
  const hidden = pressed.filter(({ atMs }) => isPaused(events, (answeredAt ?? 0) + atMs)).length;
  if (hidden === 0 && !keys.includes(MASKED_KEY)) return keys;
  if (pressed.length === keys.length + hidden) return pressed.map(({ what }) => what).join('');
  return keys + MASKED_KEY.repeat(hidden);
}

/** Whether the bot had paused the recording at this time. */
const isPaused = (events: readonly TimelineEvent[], at: number): boolean =>
  allOf(events, 'recording').findLast((one) => one.at <= at && ['paused', 'resumed'].includes(one.is))?.is === 'paused';
